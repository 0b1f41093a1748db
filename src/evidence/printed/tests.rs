//! Texts as real programs print them, and what is read out of them.

use super::table::{Table, Wanted, read};
use super::value;
use crate::base::pattern::Pattern;

/// Reads the table with `columns`, the first of them the label.
fn table(text: &str, columns: &[&str]) -> Result<Table, String> {
    read(text, &Wanted { columns: columns.to_vec(), label: 0, after: None }).map_err(|trouble| trouble.to_string())
}

/// The rows as `cell|cell|…` and the troubles, for comparing.
fn shown(table: &Table) -> Vec<String> {
    let rows = table.rows.iter().map(|row| row.cells.join("|"));
    rows.chain(table.troubles.iter().map(|trouble| format!("! {trouble}"))).collect()
}

#[track_caller]
fn check(text: &str, columns: &[&str], expected: &[&str]) {
    match table(text, columns) {
        Ok(table) => assert_eq!(shown(&table), expected, "{text}"),
        Err(trouble) => panic!("{trouble}\n{text}"),
    }
}

#[track_caller]
fn check_trouble(text: &str, columns: &[&str], expected: &str) {
    assert_eq!(table(text, columns).map(|table| shown(&table)), Err(expected.to_owned()), "{text}");
}

const CEILINGS: &str = "\
Device: NVIDIA H200, 132 SMs

config                regs  local B  smem B/blk  blocks/SM  warps/SM  occupancy
--------------------  ----  -------  ----------  ---------  --------  ---------
1 item                  16        0           0          8        64     100.0%
1 item, 3 blocks        16        0       76800          3        24      37.5%
8 items, bound (256,4)    50        0           0          4        32      50.0%

config                    ms    GB/s  of best
--------------------  ------  ------  -------
1 item                0.0618  3258.1     0.77
1 item, 3 blocks      0.1834  1098.0     0.26
8 items, bound (256,4)  0.0478  4212.4     1.00
done
";

#[test]
fn names_with_spaces_and_labels_wider_than_their_column() {
    check(
        CEILINGS,
        &["config", "regs", "local B", "smem B/blk", "blocks/SM", "warps/SM", "occupancy"],
        &["1 item|16|0|0|8|64|100.0%", "1 item, 3 blocks|16|0|76800|3|24|37.5%", "8 items, bound (256,4)|50|0|0|4|32|50.0%"],
    );
    check(
        CEILINGS,
        &["config", "ms", "GB/s", "of best"],
        &["1 item|0.0618|3258.1|0.77", "1 item, 3 blocks|0.1834|1098.0|0.26", "8 items, bound (256,4)|0.0478|4212.4|1.00"],
    );
}

#[test]
fn some_of_the_columns_are_enough() {
    check(
        CEILINGS,
        &["config", "local B", "occupancy"],
        &["1 item|0|100.0%", "1 item, 3 blocks|0|37.5%", "8 items, bound (256,4)|0|50.0%"],
    );
    check("a b  b  a\n1     2  3\n", &["b", "a"], &["2|3"]);
}

#[test]
fn tables_of_every_drawing() {
    let names = ["threads", "ms", "GB/s"];
    let rows = ["32|1.13|470.2", "64|0.57|941.0"];
    check("threads ms GB/s\n32 1.13 470.2\n64 0.57 941.0\n", &names, &rows);
    check("| threads | ms   | GB/s  |\n|--------:|-----:|------:|\n| 32 | 1.13 | 470.2 |\n| 64 | 0.57 | 941.0 |\n", &names, &rows);
    check(
        "+---------+------+\n| threads | ms | GB/s |\n+====+====+===+\n| 32 | 1.13 | 470.2 |\n| 64 | 0.57 | 941.0 |\n+---+\n",
        &names,
        &rows,
    );
    check("threads\tms\tGB/s\n32\t1.13\t470.2\n64\t\t0.57\t470.2\n", &names, &["32|1.13|470.2", "64|0.57|470.2"]);
    check("threads,ms,GB/s\n32,1.13,470.2\n64,0.57,941.0\n", &names, &rows);
    check(" threads  |    ms |  GB/s\n----------+-------+------\n 32 | 1.13 | 470.2\n 64 | 0.57 | 941.0\n\nx | y | z\n", &names, &rows);
    check("   threads       ms      GB/s\n        32     1.13     470.2\n        64     0.57     941.0\n", &names, &rows);
    check("threads   ms      GB/s\n32        1.13    470.2\n64        0.57    941.0\n", &names, &rows);
    // A rule after each row is a drawing, not an end.
    check("threads   ms      GB/s\n==========\n32        1.13    470.2\n------\n64        0.57    941.0\n", &names, &rows);
}

#[test]
fn units_are_a_line_or_a_part_of_a_cell() {
    let text = "threads      ms    rate\n           (ms)  [GB/s]\n     32    1.13   470.2\n";
    let table = table(text, &["threads", "ms", "rate"]).expect("a table");
    let units: Vec<Option<&str>> = table.units.iter().map(|unit| unit.as_ref().map(|unit| &*unit.symbol)).collect();
    assert_eq!((units, shown(&table)), (vec![None, Some("ms"), Some("GB/s")], vec!["32|1.13|470.2".to_owned()]));
    check("threads  time     rate\n32       1.13 ms  470.2 GB/s\n", &["threads", "time", "rate"], &["32|1.13 ms|470.2 GB/s"]);
    check("threads time rate\n32 1.13 ms 470.2 GB/s\n", &["threads", "time", "rate"], &["32|1.13 ms|470.2 GB/s"]);
}

#[test]
fn an_empty_cell_stays_empty_and_moves_no_other() {
    let text =
        "config        ms    GB/s  of best\none         1.13   470.2     0.11\ntwo words           12.0     1.00\nthree       0.57\n";
    check(text, &["config", "ms", "GB/s", "of best"], &["one|1.13|470.2|0.11", "two words||12.0|1.00", "three|0.57||"]);
    let text = "config        ms    GB/s\n            1.13   470.2\ntwo         0.57   941.0\n";
    check(text, &["config", "ms", "GB/s"], &["two|0.57|941.0", "! line 2: the row has no `config`"]);
}

#[test]
fn ragged_rows_and_labels_that_stand_twice_are_said() {
    check(
        "threads,ms,GB/s\n32,1.13,470.2\n64,0.57\n96,1,2,3\n",
        &["threads", "ms", "GB/s"],
        &["32|1.13|470.2", "! line 3: 2 cells in a table of 3 columns", "! line 4: 4 cells in a table of 3 columns"],
    );
    check(
        "threads    ms   GB/s\n     32  1.13  470.2\n     64  0.57  941.0  fast\n",
        &["threads", "ms", "GB/s"],
        &["32|1.13|470.2", "! line 3: 4 cells in a table of 3 columns"],
    );
    check(
        "threads ms\n32 1.13\n64 0.57\n32 1.14\n32 1.15\n",
        &["threads", "ms"],
        &["64|0.57", "! line 2: the lines 2, 4 and 5 are both labelled `32`"],
    );
}

#[test]
fn a_table_ends_where_its_rows_do() {
    let text = "threads    ms   GB/s\n     32  1.13  470.2\nThe best is 32 threads.\n     64  0.57  941.0\n\n     96  0.57  941.0\n";
    check(text, &["threads", "ms", "GB/s"], &["32|1.13|470.2", "! line 4: the line looks like a row, and the table ended in line 3"]);
    check("threads    ms\n     32  1.13\nall outputs right\n", &["threads", "ms"], &["32|1.13"]);
}

#[test]
fn a_table_that_is_not_there_says_what_comes_nearest() {
    let text = "a\nthreads    ms   GB/s\n     32  1.13  470.2\n";
    check_trouble(text, &["threads", "ms", "of best"], "line 2: the line has 2 of the 3 columns, and not `of best`");
    check_trouble(text, &["ms", "threads"], "line 2: the line has the columns `ms`, `threads`, but in another order");
    check_trouble(text, &["items", "cycles"], "no line has the columns `items`, `cycles`");
    check_trouble("", &["items"], "no line has the columns `items`");
    check_trouble("threads  ms\n\n", &["threads", "ms"], "line 1: the table has no rows");
    let twice = format!("{text}\ncold\n{text}");
    let trouble = "line 2: the columns stand in the lines 2 and 7; say which table is meant by `after`";
    check_trouble(&twice, &["threads", "ms"], trouble);
}

#[test]
fn after_chooses_among_equal_tables() {
    let text = "warm\nn  ms\n1   2\n\ncold\nn  ms\n1   3\n";
    let with = |after: &'static str| {
        let wanted = Wanted { columns: vec!["n", "ms"], label: 0, after: Some(after) };
        read(text, &wanted).map(|table| shown(&table)).map_err(|trouble| trouble.to_string())
    };
    assert_eq!(with("warm"), Ok(vec!["1|2".to_owned()]));
    assert_eq!(with("cold"), Ok(vec!["1|3".to_owned()]));
    assert_eq!(with("hot"), Err("no line has `hot`, after which the table should come".to_owned()));
    assert_eq!(with("n"), Err("line 2: `n` stands in the lines 2 and 6".to_owned()));
}

#[test]
fn a_pattern_captures_one_text_or_says_why_not() {
    let text = "peak: 4022 GB/s\nL1 32.1 cycles\nL2 210 cycles\n";
    let read = |pattern: &str| {
        let captured = value::read(&Pattern::parse(pattern, "peak").expect(pattern), text);
        captured.map(|captured| (captured.line, captured.text)).map_err(|trouble| trouble.to_string())
    };
    let some = |line: usize, text: &str| Ok((line, text.to_owned()));
    assert_eq!(read("^peak: (?<peak>.*)$"), some(1, "4022 GB/s"));
    assert_eq!(read(r"L2 (\d+)"), some(3, "210"));
    assert_eq!(read(r"\d+ GB/s"), some(1, "4022 GB/s"));
    let no = |why: &str| Err(why.to_owned());
    assert_eq!(read(r"(?<peak>HBM)|^(L2)"), no("line 3: `(?<peak>HBM)|^(L2)` matches without the group that is wanted"));
    assert_eq!(read(r"([\d.]+) cycles"), no(r"line 2: `([\d.]+) cycles` matches more than once: in the lines 2 and 3"));
    assert_eq!(read("HBM"), no("nothing matches `HBM`"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(a|bb|ms|1|2.5|n/a|  |  | |\t|,|\\||-|--|\n|\n\n|\u{2500}|\u{5d0}){0,60}") {
        for columns in [&["a", "ms"][..], &["bb"], &["a", "bb", "ms"]] {
            if let Ok(table) = table(&text, columns) {
                let lines = text.lines().count();
                proptest::prop_assert!(table.rows.iter().all(|row| row.line <= lines && row.cells.len() == columns.len() && !row.label.is_empty()));
                proptest::prop_assert!(table.troubles.iter().all(|trouble| trouble.line.is_some_and(|line| line <= lines)));
            }
        }
        let _ = super::number::read(&text, None);
    }
}
