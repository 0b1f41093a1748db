//! Turns the colours of series in the theme into how they look to those who see fewer, and holds each pair apart.
//!
//! Must not know drawings. Sight is simulated by the matrices of Machado, Oliveira and Fernandes (2009) for whole deficiency, and the
//! distance of two colours is CIEDE2000.

const THEME: &str = include_str!("../../../templates/styles/theme.css");

/// Full sight, protanopia, deuteranopia and tritanopia, on linear red, green and blue.
const SIGHTS: [(&str, [[f64; 3]; 3]); 4] = [
    ("full", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    ("protanopia", [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]]),
    ("deuteranopia", [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]]),
    ("tritanopia", [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]]),
];

/// The least distance of two series' colours. Marks and dashes tell series apart besides.
const LEAST: f64 = 10.0;

/// The least contrast of a series with the page: its name is written in its colour.
const CONTRAST: f64 = 4.5;

/// The value of the custom property `name` in light and in dark.
fn property(name: &str) -> [[f64; 3]; 2] {
    let value = THEME.split(&format!("--{name}: light-dark(")).nth(1).and_then(|rest| rest.split(')').next()).expect("it is defined");
    let colours: Vec<[f64; 3]> = value.split(", ").map(linear).collect();
    colours.try_into().expect("two colours")
}

/// `#rgb` or `#rrggbb` as linear light.
fn linear(hex: &str) -> [f64; 3] {
    let digits = hex.trim_start_matches('#');
    let width = digits.len() / 3;
    [0, 1, 2].map(|channel| {
        let digits = digits[channel * width..(channel + 1) * width].repeat(3 - width);
        let value = f64::from(u8::from_str_radix(&digits, 16).expect("hexadecimal")) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
    })
}

fn apply(matrix: &[[f64; 3]; 3], colour: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(colour).map(|(weight, part)| weight * part).sum::<f64>())
}

/// CIE L*a*b* under D65.
fn lab(colour: [f64; 3]) -> [f64; 3] {
    const XYZ: [[f64; 3]; 3] =
        [[0.412_456_4, 0.357_576_1, 0.180_437_5], [0.212_672_9, 0.715_152_2, 0.072_175], [0.019_333_9, 0.119_192, 0.950_304_1]];
    let f = |value: f64| if value > 0.008_856 { libm::cbrt(value) } else { 7.787 * value + 16.0 / 116.0 };
    let [x, y, z] = apply(&XYZ, colour);
    let [x, y, z] = [f(x / 0.950_47), f(y), f(z / 1.088_83)];
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The distance CIEDE2000 of two colours in L*a*b*.
fn distance([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    let power = |value: f64| libm::pow(value, 7.0);
    let fade = |chroma: f64| libm::sqrt(power(chroma) / (power(chroma) + power(25.0)));
    let grey = 1.5 - 0.5 * fade(f64::midpoint(libm::hypot(a1, b1), libm::hypot(a2, b2)));
    let polar = |a: f64, b: f64| (libm::hypot(a * grey, b), libm::atan2(b, a * grey).to_degrees().rem_euclid(360.0));
    let ((c1, h1), (c2, h2)) = (polar(a1, b1), polar(a2, b2));
    let turn = (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0;
    let sine = |degrees: f64| libm::sin(degrees.to_radians());
    let cosine = |degrees: f64| libm::cos(degrees.to_radians());
    let (dl, dc, dh) = (l2 - l1, c2 - c1, 2.0 * libm::sqrt(c1 * c2) * sine(turn / 2.0));
    let (l, c, h) = (f64::midpoint(l1, l2), f64::midpoint(c1, c2), h1 + turn / 2.0);
    let t = 1.0 - 0.17 * cosine(h - 30.0) + 0.24 * cosine(2.0 * h) + 0.32 * cosine(3.0 * h + 6.0) - 0.2 * cosine(4.0 * h - 63.0);
    let lightness = (l - 50.0) * (l - 50.0);
    let (sl, sc, sh) = (1.0 + 0.015 * lightness / libm::sqrt(20.0 + lightness), 1.0 + 0.045 * c, 1.0 + 0.015 * c * t);
    let around = (h.rem_euclid(360.0) - 275.0) / 25.0;
    let rotation = -2.0 * fade(c) * sine(60.0 * libm::exp(-around * around));
    let (dl, dc, dh) = (dl / sl, dc / sc, dh / sh);
    libm::sqrt(dl * dl + dc * dc + dh * dh + rotation * dc * dh)
}

/// The contrast of two colours as WCAG reckons it.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn distances_are_the_published_ones() {
    // From the test data of Sharma, Wu and Dalal (2005).
    for (a, b, expected) in [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 2.49, -0.001], [50.0, -2.49, 0.0011], 7.2195),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082),
    ] {
        assert!((distance(a, b) - expected).abs() < 1e-4, "{a:?} {b:?}: {}", distance(a, b));
    }
}

#[test]
fn series_are_told_apart_by_everyone_and_stand_out_from_the_page() {
    let series: Vec<[[f64; 3]; 2]> = (0..6).map(|index| property(&format!("series-{index}"))).collect();
    let paper = property("paper");
    for (theme, name) in ["light", "dark"].into_iter().enumerate() {
        for (index, colour) in series.iter().enumerate() {
            let found = contrast(colour[theme], paper[theme]);
            assert!(found >= CONTRAST, "{name}: series {index} has a contrast of {found:.2}");
        }
        for (sight, matrix) in &SIGHTS {
            let seen = |colour: &[[f64; 3]; 2]| lab(apply(matrix, colour[theme]).map(|part| part.clamp(0.0, 1.0)));
            let seen: Vec<[f64; 3]> = series.iter().map(seen).collect();
            for (a, b) in (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))) {
                let found = distance(seen[a], seen[b]);
                assert!(found >= LEAST, "{name}, {sight}: series {a} and {b} lie {found:.1} apart");
            }
        }
    }
}
