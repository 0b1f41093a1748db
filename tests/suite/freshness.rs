//! What makes a run speak for other code, and what does not; and what a page says where it does.

use lessonc::cli::Ending;

use super::fixture::{build, found};
use super::support::{Folder, files, lessonc, repository};

/// The fixture with what a larger sweep has: a local header, one that it includes, listed regions, and others beside them.
fn course() -> Folder {
    static READY: std::sync::OnceLock<Folder> = std::sync::OnceLock::new();
    let ready = READY.get_or_init(|| {
        let course = Folder::copy_of(&repository().join("tests/fixture"));
        course.edit("kernels/copy.toml", "host = [", "device = [\"copy\"]\nhost = [");
        course.edit("kernels/copy.cu", "// snippet: copy\n", "// snippet: copy\n#include \"step.cuh\"\n");
        course.edit("kernels/copy.cu", "y[i] = x[i];  //", "y[i] = step(x[i]);  //");
        let source = course.read("kernels/copy.cu");
        course.write(
            "kernels/copy.cu",
            &format!("{source}\n// snippet: other\n#include \"other.cuh\"\nint other() {{ return 1; }}\n// end snippet\n"),
        );
        course.write(
            "kernels/step.cuh",
            "// One step.\n#include \"deep/by.cuh\"\n__device__ inline float step(float x)\n{\n    return BY * x;\n}\n",
        );
        course.write("kernels/deep/by.cuh", "#define BY 1.0f\n");
        course.write("kernels/other.cuh", "#define OTHER 1\n");
        course.edit("lessons/copy.md", "and this is all", "snippet: copy.cu#other\n\nand this is all");
        let measured = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake"]);
        assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
        build(&course);
        assert_eq!(found(&course), [""; 0]);
        course
    });
    Folder::copy_of(ready.path())
}

/// A change of the course.
type Change = fn(&Folder);

#[test]
fn what_no_run_depends_on_needs_no_new_run() {
    let free: &[(&str, Change)] = &[
        ("prose", |course| course.edit("lessons/copy.md", "Every thread copies", "Each thread copies")),
        ("another title", |course| course.edit("kernels/copy.toml", "How does the time grow", "How fast does the time grow")),
        ("a comment in the kernel", |course| course.edit("kernels/copy.cu", "// one load, one store", "// a load, a store")),
        ("a comment in a header", |course| course.edit("kernels/step.cuh", "// One step.", "/* A step,\n   one. */")),
        ("a comment in a header of the header", |course| course.edit("kernels/deep/by.cuh", "1.0f", "1.0f // unchanged")),
        ("white space", |course| course.edit("kernels/step.cuh", "return BY * x;", "return  BY\n        *x ;")),
        ("lines above, which move all others", |course| {
            course.edit("kernels/copy.cu", "// Copies a buffer.", "// Copies\n//\n// a buffer.")
        }),
        ("a region that is not compiled", |course| course.edit("kernels/copy.cu", "return 1;", "return 2;")),
        ("a header that only such a region includes", |course| course.edit("kernels/other.cuh", "OTHER 1", "OTHER 2")),
        ("a header that nobody includes", |course| course.write("kernels/new.cuh", "int x;\n")),
        ("a constant that nothing uses", |course| course.edit("kernels/copy.toml", "[constants]\n", "[constants]\nspare = 7\n")),
        ("a derived column", |course| course.edit("kernels/copy.toml", "[columns]\n", "[columns]\nkernels = \"1\"\n")),
        ("regions in another order in the file", |course| {
            let source = course.read("kernels/copy.cu");
            let (head, rest) = source.split_once("// snippet: fill\n").unwrap();
            let (fill, rest) = rest.split_once("// end snippet\n").unwrap();
            course.write("kernels/copy.cu", &format!("{head}{rest}\n// snippet: fill\n{fill}// end snippet\n"));
        }),
    ];
    for (what, change) in free {
        let course = course();
        change(&course);
        let found = found(&course);
        assert!(found.iter().all(|id| id == "error site-stale"), "{what}: {found:?}");
        let explained = lessonc([&"verify", &"--course", &course.path(), &"--explain", &"copy"]);
        assert!(explained.ending == Ending::Fine && explained.out.contains("is current"), "{what}: {explained:?}");
    }
}

#[test]
fn what_a_run_depends_on_is_shown_where_it_stands() {
    // What changes, and the line of `--explain` that is new, with its place.
    let harm: &[(&str, Change, &str)] = &[
        (
            "an operand of the kernel",
            |course| course.edit("kernels/copy.cu", "if (i < n)", "if (i + 1 < n)"),
            "+ device: if ( i + 1 < n ) {    # kernels/copy.cu:23\n",
        ),
        (
            "an operand of a header",
            |course| course.edit("kernels/step.cuh", "BY * x", "BY + x"),
            "+ header step.cuh: return BY + x ;    # kernels/step.cuh:5\n",
        ),
        (
            "a macro of a header's header",
            |course| course.edit("kernels/deep/by.cuh", "1.0f", "2.0f"),
            "+ header deep/by.cuh: #define BY 2.0f    # kernels/deep/by.cuh:1\n",
        ),
        (
            "the region that fills",
            |course| course.edit("kernels/copy.cu", "i % 251", "i % 250"),
            "+ host: for ( unsigned long long i = 0 ; i < n ; ++ i ) x [ i ] = static_cast < float > ( i % 250 ) ;    # kernels/copy.cu:6\n",
        ),
        (
            "the region that checks",
            |course| course.edit("kernels/copy.cu", "++i) y[i] = x[i]", "++i) y[i] = x[0]"),
            "+ host: for ( unsigned long long i = 0 ; i < n ; ++ i ) y [ i ] = x [ 0 ] ;    # kernels/copy.cu:13\n",
        ),
        ("a constant", |course| course.edit("kernels/copy.toml", "256 * 1024 * 1024", "128 * 1024 * 1024"), "    # kernels/copy.toml:7\n"),
        ("a row", |course| course.edit("kernels/copy.toml", "[1, 2, 4]", "[1, 2, 8]"), "+ row '8': items = 8    # kernels/copy.toml:10\n"),
        (
            "the grid",
            |course| course.edit("kernels/copy.toml", "items * most // 1024", "items * most // 512"),
            "+ launch grid items * most // 512    # kernels/copy.toml:27\n",
        ),
        ("how it is timed", |course| course.edit("kernels/copy.toml", "rounds = 5", "rounds = 6"), "+ timing cold, rounds 6,"),
        (
            "the protocol's other side",
            |course| course.edit("kernels/copy.toml", "reference = \"reference\"", "relative = 0.5\nreference = \"reference\""),
            "relative 0.5, absolute 0.0    # kernels/copy.toml:",
        ),
    ];
    for (what, change, shown) in harm {
        let course = course();
        change(&course);
        let explained = lessonc([&"verify", &"--course", &course.path(), &"--explain", &"copy"]);
        assert_eq!(explained.ending, Ending::Problems, "{what}");
        assert!(explained.out.contains(shown), "{what}: {}", explained.out);
        assert!(explained.out.contains("\n- "), "{what}: the line of then is missing in\n{}", explained.out);
        assert!(found(&course).contains(&"error evidence-stale".to_owned()), "{what}");
    }
    let course = course();
    course.edit("kernels/step.cuh", "BY * x", "BY + x");
    let verified = lessonc([&"verify", &"--course", &course.path()]);
    let said = "`copy` was measured on fake before kernels/step.cuh:5 changed";
    assert!(verified.out.contains(said) && verified.out.contains("new since then"), "{verified:?}");
    assert_eq!(verified.out.matches("evidence-stale").count(), 1, "{verified:?}");
    assert!(!verified.out.contains("{\""), "no line of a record is shown: {verified:?}");
}

#[test]
fn a_draft_shows_figures_of_old_code_as_such_and_a_build_refuses() {
    let course = course();
    let before: Vec<(String, String)> = files(course.path()).into_iter().map(|name| (name.clone(), course.read(&name))).collect();
    let page = course.read("site/copy.html");
    assert!(!page.contains("old code"));
    course.edit("kernels/step.cuh", "BY * x", "BY + x");
    let built = lessonc([&"build", &"--course", &course.path()]);
    assert!(built.ending == Ending::Problems && built.err.contains("nothing written"), "{built:?}");
    for (name, text) in before.iter().filter(|(name, _)| name.starts_with("site/")) {
        assert_eq!(course.read(name), *text, "{name}");
    }
    let out = Folder::new();
    let drafted = lessonc([&"build", &"--course", &course.path(), &"--draft", &"--out", &out.path().join("draft")]);
    assert_eq!(drafted.ending, Ending::Problems, "{drafted:?}");
    let draft = out.read("draft/copy.html");
    let figures = |page: &str| page.matches("<span class=\"figure\"").count();
    assert_eq!(figures(&draft), figures(&page), "the figures are there");
    assert_eq!(draft.matches("<span class=\"stale\">old code</span>").count(), figures(&page), "each is marked");
    assert!(draft.contains("measured before its code, sizes or timing changed"), "and says why");
    let claims = |page: &str| page.matches("<section class=\"claim ").count();
    assert!(claims(&draft) > 0 && !draft.contains("class=\"claim supported"), "no verdict on today's code is claimed");
    assert_eq!(draft.matches("<section class=\"claim outdated").count(), claims(&draft));
    // What was measured is what is shown.
    let values =
        |page: &str| page.split("<data value=").skip(1).map(|rest| rest.split("</data>").next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(values(&draft), values(&page));
    // Measured again, nothing is old.
    let measured = lessonc([&"measure", &"--course", &course.path(), &"--device", &"fake"]);
    assert_eq!(measured.ending, Ending::Fine, "{measured:?}");
    build(&course);
    assert!(!course.read("site/copy.html").contains("old code"));
}
