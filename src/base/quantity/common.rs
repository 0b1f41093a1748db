//! Turns the quantities of a column into the unit that all of them are written in.
//!
//! Must not know tables or charts.

use super::exact;
use super::{Dimension, Format, Quantity, Unit};

/// The unit in which a column of `quantities` is written: of those that each would have by itself, the largest; of exact sizes, the
/// largest in which all of them are whole, so that 16 KiB beside 1 MiB is no 0.01562 MiB. `None` of none.
#[must_use]
pub fn common_unit(quantities: &[&Quantity]) -> Option<Unit> {
    let units = quantities.iter().map(|quantity| quantity.shown_unit(&Format::default()));
    if !quantities.iter().all(|quantity| quantity.dimension() == Dimension::BYTES && quantity.as_integer().is_some()) {
        return units.reduce(|a, b| if b.scale > a.scale { b } else { a });
    }
    let whole = |unit: &Unit| {
        let is_whole = |amount| exact::divide(amount, unit.scale).is_ok_and(|inside| inside.is_integer());
        quantities.iter().filter_map(|quantity| quantity.as_exact()).all(is_whole)
    };
    let mut units: Vec<Unit> = units.collect();
    units.sort_by_key(|unit| std::cmp::Reverse(unit.scale));
    let smallest = units.last().cloned();
    units.into_iter().find(whole).or(smallest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::quantity::Rational;

    #[test]
    fn sizes_stay_whole_and_everything_else_takes_the_largest() {
        let bytes: [(&[i128], &str); 6] = [
            (&[16 << 10, 512 << 20], "KiB"),
            (&[64 << 20, 1 << 30], "MiB"),
            (&[0, 1 << 30], "GiB"),
            (&[656, 1024], "B"),
            (&[48 << 10, 227 << 10], "KiB"),
            (&[0, 0], "B"),
        ];
        for (sizes, expected) in bytes {
            let sizes: Vec<Quantity> = sizes.iter().map(|&size| Quantity::bytes(size)).collect();
            let unit = common_unit(&sizes.iter().collect::<Vec<_>>()).expect("there are some");
            assert_eq!(&*unit.symbol, expected, "{sizes:?}");
        }
        let time =
            |amount, symbol: &str| Quantity::exact(Rational::from_integer(amount), Unit::parse(symbol).expect("a unit")).expect("small");
        let times = [time(3, "µs"), time(2, "ms")];
        assert_eq!(&*common_unit(&times.iter().collect::<Vec<_>>()).expect("there are some").symbol, "ms");
        assert_eq!(common_unit(&[]), None);
    }
}
