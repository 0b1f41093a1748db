//! Turns the quantities of a column into the unit that all of them are written in.
//!
//! Must not know tables or charts.

use super::exact;
use super::{Dimension, Format, Quantity, Rational, Unit};

/// The unit in which a column of `quantities` is written: of those that each would have by itself, the largest; of exact sizes, the
/// largest in which all of them are whole, so that 16 KiB beside 1 MiB is no 0.01562 MiB, or whole quarters, so that 27.5 KiB beside
/// 227 KiB is no 28,160 B. `None` of none.
#[must_use]
pub fn common_unit(quantities: &[&Quantity]) -> Option<Unit> {
    let units = quantities.iter().map(|quantity| quantity.shown_unit(&Format::default()));
    if !quantities.iter().all(|quantity| quantity.dimension() == Dimension::BYTES && quantity.as_integer().is_some()) {
        return units.reduce(|a, b| if b.scale > a.scale { b } else { a });
    }
    let parts = |unit: &Unit, parts: i128| {
        let parts = Rational::from_integer(parts);
        let is_whole = |amount| exact::divide(exact::multiply(amount, parts)?, unit.scale).map(|inside| inside.is_integer());
        quantities.iter().filter_map(|quantity| quantity.as_exact()).all(|amount| is_whole(amount) == Ok(true))
    };
    let mut units: Vec<Unit> = units.collect();
    units.sort_by_key(|unit| std::cmp::Reverse(unit.scale));
    units.dedup();
    let single = Rational::from_integer(1);
    let whole = units.iter().find(|unit| parts(unit, 1) && unit.scale > single);
    let quarters = || units.iter().find(|unit| unit.symbol.ends_with("iB") && parts(unit, 4));
    whole.or_else(quarters).or(units.last()).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stay_whole_and_everything_else_takes_the_largest() {
        let bytes: [(&[i128], &str); 8] = [
            (&[16 << 10, 512 << 20], "KiB"),
            (&[64 << 20, 1 << 30], "MiB"),
            (&[0, 1 << 30], "GiB"),
            (&[656, 1024], "B"),
            (&[48 << 10, 227 << 10], "KiB"),
            (&[0, 0], "B"),
            (&[0, 75 << 10, 28_160, 227 << 10], "KiB"),
            (&[28_161, 75 << 10], "kB"),
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
