use super::*;

const CONFIG: &str = "title = { en = 'Courses & more', he = 'קורסים' }\nsummary = 'On words.'\n";

const ONE: &str = "+++
title = 'One'
date = 2026-01-02
tags = ['C++', 'c', 'l2 <cache>']
aliases = ['first', 'old-one']
+++

> term: shared memory { also = 'smem' }
> What a block's threads have in **common**.

See [it](#term-shared-memory).
";
const TWO: &str = "+++\ntitle = 'Two'\ndate = 2026-01-01\nupdated = 2026-03-01\ntags = ['C']\n+++\n\n[smem](one.md#term-shared-memory)\n";
const HEBREW: &str = "+++\ntitle = 'אחת'\naliases = ['old-one']\n+++\n\n> term: זיכרון משותף\n> המשותף לבלוק.\n";

fn course(config: &str, lessons: &[(&str, &str)]) -> (Built, Vec<Problem>) {
    let mut tree = SourceTree::new();
    let mut problems = Problems::new();
    tree.insert("lessons/course.toml", config.as_bytes(), &mut problems);
    for (name, text) in lessons {
        tree.insert(&format!("lessons/{name}"), text.as_bytes(), &mut problems);
    }
    let (compiled, problems) = compile(&tree);
    (compiled, problems.sorted())
}

fn sound(config: &str) -> Built {
    let (built, problems) = course(config, &[("one.md", ONE), ("one.he.md", HEBREW), ("two.md", TWO)]);
    assert_eq!(problems, [], "{problems:#?}");
    built
}

fn published() -> String {
    format!("{CONFIG}base_url = 'https://example.org/course'\n")
}

#[test]
fn lists_hold_what_lessons_have_in_common() {
    let built = sound(CONFIG);
    let tags = page(&built, "lists/tags.html");
    assert!(tags.contains("id=\"tag-c\"") && tags.contains("id=\"tag-c-2\"") && tags.contains("l2 &lt;cache&gt;"), "{tags}");
    assert!(page(&built, "one.html").contains("href=\"lists/tags.html#tag-c-2\""));
    let glossary = page(&built, "lists/glossary.html");
    assert!(glossary.contains("id=\"term-shared-memory\"") && glossary.contains("href=\"../one.html#term-shared-memory\""), "{glossary}");
    assert!(glossary.contains("smem") && glossary.contains("have in common."), "{glossary}");
    assert!(page(&built, "one.html").contains("<div class=\"term\" id=\"term-shared-memory\">"));
    let hebrew = page(&built, "he/lists/glossary.html");
    assert!(hebrew.contains("href=\"../../he/one.html#term-זיכרון-משותף\"") && !hebrew.contains("smem"), "{hebrew}");
    assert!(page(&built, "two.html").contains("href=\"one.html#term-shared-memory\""));
    // No list of what there is none of, and no way to it.
    assert!(built.site.render("lists/claims.html").is_none() && built.site.render("he/lists/tags.html").is_none());
    assert!(!page(&built, "one.html").contains("claims.html"));
}

#[test]
fn claims_and_sweeps_are_listed_with_what_is_known_of_them() {
    let (compiled, _) = built(LESSON);
    let claims = page(&compiled, "lists/claims.html");
    assert_eq!(claims.matches("<li><a href=\"../block-size.html#claim-").count(), 3, "{claims}");
    assert!(claims.contains("class=\"verdict supported\"") && claims.contains("NVIDIA H200"), "{claims}");
    let sweeps = page(&compiled, "lists/sweeps.html");
    assert!(
        sweeps.contains("href=\"../evidence/block-size/2026-11-30-nvidia-h200.html\"") && sweeps.contains("href=\"../block-size.html\""),
        "{sweeps}"
    );
}

#[test]
fn a_site_with_an_address_has_feeds_a_map_and_data() {
    let built = sound(&published());
    let feed = page(&built, "feed.xml");
    let at = |text: &str| feed.find(text).unwrap_or_else(|| panic!("{text}: {feed}"));
    assert!(feed.starts_with("<?xml") && at("<title>Two</title>") < at("<title>One</title>"), "{feed}");
    assert!(feed.contains("<title>Courses &amp; more</title>") && feed.contains("<updated>2026-03-01T00:00:00Z</updated>"));
    assert!(built.site.render("he/feed.xml").is_none(), "no lesson of it has a date");
    let map = page(&built, "sitemap.xml");
    assert!(
        map.starts_with("<?xml") && map.contains("<loc>https://example.org/course/two.html</loc><lastmod>2026-03-01</lastmod>"),
        "{map}"
    );
    assert!(map.contains("https://example.org/course/he/one.html") && map.contains("glossary.html"));
    assert!(!map.contains("404.html") && !map.contains("first.html"), "{map}");
    let html = page(&built, "one.html");
    for expected in
        ["property=\"og:url\" content=\"https://example.org/course/one.html\"", "href=\"feed.xml\"", "\"datePublished\":\"2026-01-02\""]
    {
        assert!(html.contains(expected), "{expected}: {html}");
    }
    let local = sound(CONFIG);
    assert!(local.site.render("feed.xml").is_none() && local.site.render("sitemap.xml").is_none());
    assert!(!page(&local, "one.html").contains("og:") && !page(&local, "one.html").contains("ld+json"));
}

#[test]
fn addresses_of_old_lead_to_the_lesson() {
    for (config, canonical) in [(published(), "https://example.org/course/one.html"), (CONFIG.to_owned(), "one.html")] {
        let html = page(&sound(&config), "first.html");
        assert!(
            html.contains("content=\"0; url=one.html\"") && html.contains(&format!("rel=\"canonical\" href=\"{canonical}\"")),
            "{html}"
        );
    }
    assert!(page(&sound(CONFIG), "he/old-one.html").contains("url=../he/one.html"));
    let (_, problems) = course(CONFIG, &[("one.md", ONE), ("two.md", "+++\ntitle = 'T'\naliases = ['one', 'first', 'a/b']\n+++\n")]);
    let found: Vec<&str> = problems.iter().map(|problem| problem.id).filter(|id| id.starts_with("alias")).collect();
    assert_eq!(found, ["alias-taken", "alias-taken", "alias-name"], "{problems:?}");
}

#[test]
fn a_tag_has_a_name() {
    let (_, problems) = course(CONFIG, &[("one.md", "+++\ntitle = 'T'\ntags = ['', ' ', 'c']\n+++\n")]);
    let found: Vec<(&str, &str)> = problems.iter().map(|problem| (problem.id, &*problem.message)).collect();
    assert_eq!(found, [("toml-value", "a tag needs a name"); 2], "{problems:?}");
    let (built, problems) = course(CONFIG, &[("one.md", "+++\ntitle = 'T'\ntags = [' c ']\n+++\n")]);
    assert_eq!(problems, []);
    assert!(page(&built, "one.html").contains("#tag-c\">c</a>"), "{}", page(&built, "one.html"));
    let (built, problems) = course(CONFIG, &[("one.md", "+++\ntitle = 'T'\ntags = ['a b', 'A B', 'ä', 'Ä']\n+++\n")]);
    assert_eq!(problems, []);
    let html = page(&built, "one.html");
    assert!(html.contains(">a b</a>") && html.contains(">ä</a>") && !html.contains(">A B</a>") && !html.contains(">Ä</a>"), "{html}");
}

#[test]
fn a_term_has_one_definition_a_language() {
    let (_, problems) = course(CONFIG, &[("one.md", ONE), ("two.md", "+++\ntitle = 'T'\n+++\n\n> term: Shared memory\n> Again.\n")]);
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["term-duplicate"], "{problems:?}");
}

#[test]
fn a_lesson_may_be_called_as_a_list_is() {
    let (built, problems) = course(CONFIG, &[("one.md", ONE), ("glossary.md", "+++\ntitle = 'G'\n+++\n")]);
    assert_eq!(problems, [], "{problems:?}");
    assert!(built.site.render("glossary.html").is_some() && built.site.render("lists/glossary.html").is_some());
}

#[test]
fn what_only_scripts_can_use_stands_in_the_script_once_a_language() {
    let built = sound(CONFIG);
    let script = page(&built, "assets/lessonc.js");
    let head = script.lines().next().and_then(|line| line.strip_prefix("window.lessonc_parts = ")?.strip_suffix(';')).unwrap();
    let parts: serde_json::Value = serde_json::from_str(head).unwrap();
    for (language, copy) in [("en", "Copy"), ("he", "העתקה")] {
        let text = |part: &str| parts[language][part].as_str().unwrap();
        assert_eq!(text("copy"), copy);
        assert!(text("search").contains(&format!("data-language=\"{language}\"")) && text("theme").contains("<fieldset class=\"theme\""));
    }
    for path in ["one.html", "he/one.html", "index.html"] {
        let html = page(&built, path);
        assert!(!html.contains("<dialog") && !html.contains("class=\"theme\""), "{html}");
    }
}

#[test]
fn a_template_that_only_the_script_holds_is_looked_at_too() {
    let mut tree = SourceTree::new();
    let mut problems = Problems::new();
    for (name, text) in [("lessons/course.toml", CONFIG), ("lessons/one.md", ONE), ("templates/search.html", "<p>\n{{ nothing }}\n")] {
        tree.insert(name, text.as_bytes(), &mut problems);
    }
    let (_, problems) = compile(&tree);
    let found: Vec<String> = problems.sorted().iter().map(|problem| format!("{} {:?}", problem.id, problem.at)).collect();
    assert!(found.len() == 1 && found[0].starts_with("template ") && found[0].contains("templates/search.html"), "{found:?}");
}

#[test]
fn a_course_may_do_without_a_search() {
    let with = sound(CONFIG);
    let without = sound(&format!("{CONFIG}\n[site]\nsearch = false\n"));
    let paths = |built: &Built| -> Vec<String> { built.site.paths().map(str::to_owned).collect() };
    let (with, without, script) = (paths(&with), paths(&without), page(&without, "assets/lessonc.js"));
    let searches = |path: &String| path.starts_with("search/") || path == "assets/search.js";
    assert!(with.iter().any(searches));
    assert_eq!(without, with.into_iter().filter(|path| !searches(path)).collect::<Vec<_>>());
    assert!(!script.lines().next().unwrap_or_default().contains("search"), "{script}");
}
