//! What a manifest may change from row to row: axes of all kinds, variants, options, data and what is read back.

use super::{MANIFEST, SOURCE, device, job, kernel, planned};
use crate::plan::PlannedRow;

/// The labels and values of the rows that `axes` or rows make in place of the manifest's axes, and what is wrong with them.
fn rows_of(axes: &str) -> (Vec<String>, Vec<String>) {
    let block = "[axes]\nthreads = { values = [16, 100, \"2 * 128\"], unit = \"threads\" }\n";
    let manifest =
        MANIFEST.replace(block, axes).replace("block = \"threads\"", "block = 64").replace("ceil_div(pixels, threads)", "pixels");
    assert_ne!(manifest, MANIFEST);
    let (plan, problems) = planned(&manifest, SOURCE);
    let shown = |row: &PlannedRow| {
        let values: Vec<String> = row.values.iter().map(|(name, value)| format!("{name} = {}", value.to_exact_text())).collect();
        format!("{}: {}", row.label, values.join(", "))
    };
    (plan.jobs.get("s").iter().flat_map(|job| &job.rows).map(shown).collect(), problems)
}

#[test]
fn axes_hold_ranges_powers_and_texts() {
    let cases: [(&str, &[&str]); 10] = [
        ("[axes]\nn = { from = 16, to = 128, times = 2 }", &["16: n = 16", "32: n = 32", "64: n = 64", "128: n = 128"]),
        (
            "[axes]\nn = { from = 8, to = 33, step = 8, unit = \"warps\" }",
            &["8: n = 8 warps", "16: n = 16 warps", "24: n = 24 warps", "32: n = 32 warps"],
        ),
        ("[axes]\nset = { from = \"16 KiB\", to = \"64 KiB\", times = 2 }", &["16: set = 16 KiB", "32: set = 32 KiB", "64: set = 64 KiB"]),
        (
            "[axes]\nset = { from = \"1 MiB\", to = \"4 MiB\", times = 4, unit = \"KiB\" }",
            &["1024: set = 1024 KiB", "4096: set = 4096 KiB"],
        ),
        ("[axes]\nn = [1, { from = \"spare\", to = 9, times = 3 }]", &["1: n = 1", "3: n = 3", "9: n = 9"]),
        ("[axes]\nn = { values = [{ from = 1, to = 2, step = \"1 / 2\" }] }", &["1: n = 1", "3/2: n = 3/2", "2: n = 2"]),
        (
            "[axes]\nvariant = [\"plain\", \"bounded\"]\nn = [1, 2]",
            &[
                "plain-1: variant = 'plain', n = 1",
                "plain-2: variant = 'plain', n = 2",
                "bounded-1: variant = 'bounded', n = 1",
                "bounded-2: variant = 'bounded', n = 2",
            ],
        ),
        (
            "[axes]\nvariant = [\"plain\", \"'two words'\", \"'s' + 8\"]",
            &["plain: variant = 'plain'", "two words: variant = 'two words'", "s8: variant = 's8'"],
        ),
        (
            "[[rows]]\nvariant = \"plain\"\nn = 1\n[[rows]]\nlabel = \"x\"\nvariant = \"bounded\"\nn = \"spare\"",
            &["plain-1: variant = 'plain', n = 1", "x: variant = 'bounded', n = 3"],
        ),
        ("[[rows]]\nvariant = \"plain\"\nname = \"variant\"", &["plain-plain: variant = 'plain', name = 'plain'"]),
    ];
    for (axes, expected) in cases {
        let (rows, problems) = rows_of(&format!("{axes}\n"));
        assert_eq!((rows, problems), (expected.iter().map(|&row| row.to_owned()).collect(), Vec::new()), "{axes}");
    }
}

#[test]
fn what_is_wrong_with_an_axis() {
    let cases: [(&str, &[&str]); 17] = [
        ("n = { from = 16, to = 8, times = 2 }", &["manifest-range@8"]),
        ("n = { from = 0, to = 8, times = 2 }", &["manifest-range@2"]),
        ("n = { from = 1, to = 8, times = 1 }", &["manifest-range@1"]),
        ("n = { from = 1, to = 8, step = 0 }", &["manifest-range@0"]),
        ("n = { from = 1, to = 8, step = \"-1\" }", &["manifest-range@-1"]),
        ("n = { from = 1, to = 1000000, step = 1 }", &["manifest-range@1"]),
        ("n = { from = 1, to = 8 }", &["toml-missing-key@{ from = 1, to = 8 }"]),
        ("n = { from = 1, step = 8 }", &["toml-missing-key@{ from = 1, step = 8 }"]),
        ("n = { from = 1, to = 8, step = 1, times = 2 }", &["manifest-value@2"]),
        ("n = { from = 1, to = 8, steps = 1, step = 1 }", &["toml-unknown-key@steps"]),
        ("n = { from = \"1 KiB\", to = 8, times = 2 }", &["expr-unit@8"]),
        ("n = { from = \"1 KiB\", to = \"8 KiB\", step = 2 }", &["expr-unit@2"]),
        ("n = { from = \"1 KiB\", to = \"8 KiB\", times = \"2 B\" }", &["expr-unit@2 B"]),
        ("n = { from = 1, to = \"spore\", times = 2 }", &["expr-name@spore"]),
        ("n = [\"pixls\"]", &["expr-name@pixls"]),
        ("n = [1, \"many\"]", &["manifest-value@many"]),
        ("n = []", &["manifest-value@[]"]),
    ];
    let mut wrong = Vec::new();
    for (axis, expected) in cases {
        let (_, problems) = rows_of(&format!("[axes]\n{axis}\n"));
        if problems != expected {
            wrong.push(format!("{axis}: {problems:?}, not {expected:?}"));
        }
    }
    let (_, problems) = rows_of("[[rows]]\nvariant = \"plain\"\n[[rows]]\nvariant = 2\n");
    assert_eq!(problems, ["manifest-value@2"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_rows_work_on_is_there_once_and_hangs_on_no_order() {
    let sized = MANIFEST
        .replace("threads = { values", "set = [\"8 KiB\", \"4 KiB\"]\nthreads = { values")
        .replace("count = \"pixels\"", "count = \"set / 4 B\"")
        .replacen("{ u64 = \"pixels\" }]", "{ u64 = \"set / 4 B\" }]", 2);
    let plain = job(MANIFEST, SOURCE);
    assert_eq!((kernel(&plain).data.len(), &*kernel(&plain).data_of), (1, &[0, 0, 0][..]));
    let first = job(&sized, SOURCE);
    let counts: Vec<u64> = kernel(&first).data_of.iter().map(|&data| kernel(&first).data[data as usize].buffers[0].count).collect();
    assert_eq!((kernel(&first).data.len(), counts), (2, vec![2048, 2048, 2048, 1024, 1024, 1024]));
    let lines = &first.fingerprint.lines;
    assert!(lines.iter().filter(|line| line.starts_with("data 1: buffer ")).count() == 2, "{lines:#?}");
    assert!(lines.iter().filter(|line| line.starts_with("data 1 of row '")).count() == 3, "{lines:#?}");
    let turned = job(&sized.replace("\"8 KiB\", \"4 KiB\"", "\"4 KiB\", \"8 KiB\""), SOURCE);
    assert_eq!(&turned.fingerprint.lines, lines);
    let other = job(&sized.replace("\"4 KiB\"]", "\"4 KiB + 4 B\"]"), SOURCE);
    assert_ne!(other.fingerprint.digest, first.fingerprint.digest);
}

#[test]
fn options_are_texts_with_expressions_of_the_row() {
    let with = |options: &str| MANIFEST.replace("block = \"threads\"", &format!("options = {options}\nblock = \"threads\""));
    let shapes = |options: &str| -> Vec<Vec<String>> {
        let job = job(&with(options), SOURCE);
        job.rows.iter().map(|row| kernel(&job).shape(row, &device()).expect("a shape").options).collect()
    };
    assert_eq!(shapes("[\"--maxrregcount={threads // 2}\"]"), [["--maxrregcount=8"], ["--maxrregcount=50"], ["--maxrregcount=128"]]);
    assert_eq!(shapes("[\"-DN={threads}{spare}\", \"{''}\"]"), [["-DN=163"], ["-DN=1003"], ["-DN=2563"]]);
    assert_eq!(shapes("[\"-lineinfo\"]"), [["-lineinfo"]; 3]);
    let lines = job(&with("[\"-DN={ threads+1 }\"]"), SOURCE).fingerprint.lines;
    assert!(lines.contains(&"launch option -DN={threads + 1}".to_owned()), "{lines:#?}");
    let cases: [(&str, &[&str]); 4] = [
        ("[\"-DN={threads\"]", &["manifest-value@{"]),
        ("[\"-DN={thread}\"]", &["expr-name@thread"]),
        ("[\"-DN={device.sms}\"]", &["expr-value@device"]),
        ("[\"-DN={threads +}\"]", &["expr-syntax@"]),
    ];
    for (options, expected) in cases {
        let (_, problems) = planned(&with(options), SOURCE);
        let ids: Vec<&str> = problems.iter().map(|problem| problem.split('@').next().unwrap_or_default()).collect();
        assert_eq!(ids.first(), expected[0].split('@').next().as_ref(), "{options}: {problems:?}");
    }
}

#[test]
fn what_is_read_back_is_an_integer_of_a_small_buffer() {
    let with = |buffer: &str, read: &str| {
        let buffers = format!("clock = {{ role = \"scratch\", type = \"u64\", count = 4 }}\n{buffer}\n[inputs]");
        MANIFEST.replace("\n[inputs]", &buffers).replace("[launch]", &format!("[read]\n{read}\n[launch]"))
    };
    let job = job(
        &with(
            "",
            "a = { buffer = \"clock\", at = \"spare\", per = \"threads * 2\", unit = \"cycles\" }\nb = { buffer = \"clock\", take = \"min\" }",
        ),
        SOURCE,
    );
    let reads = &kernel(&job).reads;
    assert_eq!(reads.iter().map(|read| read.of_row(0).expect("a row").words()).collect::<Vec<_>>(), ["clock[3]", "the min of clock"]);
    assert_eq!(reads[0].step(0), Some(crate::base::quantity::Rational::new(1, 32)));
    assert!(job.fingerprint.lines.contains(&"read a of row '16': clock[3]".to_owned()), "{:#?}", job.fingerprint.lines);
    let cases: [(&str, &str, &[&str]); 9] = [
        ("", "a = { buffer = \"clok\" }", &["manifest-buffer@clok"]),
        ("", "a = { buffer = \"r\" }", &["manifest-read@r"]),
        ("k = { role = \"scratch\", type = \"i32\", count = 70000 }", "a = { buffer = \"k\" }", &["manifest-range@k"]),
        ("", "a = { buffer = \"clock\", at = 4 }", &["manifest-range@4"]),
        ("", "a = { buffer = \"clock\", at = 1, take = \"min\" }", &["manifest-value@at"]),
        ("", "a = { buffer = \"clock\", take = \"mean\" }", &["manifest-value@mean"]),
        ("", "a = { buffer = \"clock\", per = \"0 * spare\" }", &["manifest-range@0 * spare"]),
        ("", "ms = { buffer = \"clock\" }", &["manifest-name@ms"]),
        ("", "threads = { buffer = \"clock\" }", &["manifest-name@threads"]),
    ];
    let mut wrong = Vec::new();
    for (buffer, read, expected) in cases {
        let (_, problems) = planned(&with(buffer, read), SOURCE);
        if problems != expected {
            wrong.push(format!("{read}: {problems:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn variants_choose_kernels_and_stand_in_fingerprints_as_texts() {
    let manifest = MANIFEST
        .replace("threads = { values = [16, 100, \"2 * 128\"], unit = \"threads\" }", "threads = [16]\nvariant = [\"luma\", \"luma<8>\"]")
        .replace("\"luma<8>\"", "\"'luma<8>'\"")
        .replace("kernel = \"luma\"", "kernel = { expression = \"variant\" }");
    let job = job(&manifest, SOURCE);
    let kernels: Vec<String> = job.rows.iter().map(|row| kernel(&job).shape(row, &device()).expect("a shape").kernel).collect();
    assert_eq!(kernels, ["luma", "luma<8>"]);
    assert!(
        job.fingerprint.lines.contains(&"row '16-luma<8>': threads = 16, variant = 'luma<8>'".to_owned()),
        "{:?}",
        job.fingerprint.lines
    );
}
