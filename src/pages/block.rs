//! Turns the parts of a page into plain data: runs of HTML, and exhibits that a template shapes.
//!
//! Must not know what is in them.

use minijinja::Value;
use serde::Serialize;

use super::devices;
use super::html::escape;

/// HTML as it stands, however long: for templates a text that is safe, and on its way through them to a page it is held and not copied.
/// Cheap to clone.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub(crate) struct Markup(Value);

impl Markup {
    /// It as text.
    pub(crate) fn text(&self) -> &str {
        self.0.as_str().unwrap_or_default()
    }
}

impl From<String> for Markup {
    fn from(html: String) -> Self {
        Self(Value::from_safe_string(html))
    }
}

/// One part of a page.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Block {
    /// HTML as it stands.
    Html {
        /// The HTML.
        html: Markup,
    },
    /// A template with its view.
    Template {
        /// The template's file name.
        template: &'static str,
        /// Plain data.
        view: Value,
        /// Classes of the device that it is for, where there are several, with a space before them.
        on: String,
    },
}

impl Block {
    /// `view` in the shape that `template` gives it.
    pub(crate) fn of(template: &'static str, view: impl Serialize) -> Self {
        Self::Template { template, view: from_view(view), on: String::new() }
    }

    /// A box that says in a draft why something is not shown.
    pub(crate) fn problem(what: &str, why: &str) -> Self {
        Self::html(format!("<p class=\"problem\"><code>{}</code>: {}</p>\n", escape(what), escape(why)))
    }

    /// `html` as it stands.
    pub(crate) fn html(html: String) -> Self {
        Self::Html { html: html.into() }
    }
}

/// `blocks`, made of one thing for each device in order, each for its device; a single one where they say the same on all.
pub(crate) fn on_devices(mut blocks: Vec<Block>) -> Vec<Block> {
    if blocks.len() < 2 {
        return blocks;
    }
    let said = |(index, block): (usize, &Block)| {
        let text = serde_json::to_string(block).unwrap_or_default();
        if index == 0 { text } else { text.replace(&devices::id_end(index), "") }
    };
    let said: Vec<String> = blocks.iter().enumerate().map(said).collect();
    if said.windows(2).all(|pair| pair[0] == pair[1]) {
        blocks.truncate(1);
        return blocks;
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        let class = devices::class(index);
        match block {
            Block::Html { html } => *html = format!("<div class=\"{}\">{}</div>\n", class.trim_start(), html.text()).into(),
            Block::Template { on, .. } => *on = class,
        }
    }
    blocks
}

/// Plain data as templates see it.
pub(crate) fn from_view(view: impl Serialize) -> Value {
    Value::from(minijinja::value::Serde(view))
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::super::template::Templates;
    use super::*;
    use crate::base::problem::Problems;
    use crate::tree::SourceTree;

    #[test]
    fn markup_is_text_for_templates_and_never_escaped() {
        let cases = [
            ("{{ html|safe }}", "<b>x</b>"),
            ("{{ html }}", "<b>x</b>"),
            ("{{ html|safe|replace('x', 'y') }}", "<b>y</b>"),
            ("{{ html|safe|trim }}{{ html|safe ~ '!' }}", "<b>x</b><b>x</b>!"),
            ("{{ html|replace('x', 'y')|safe }}", "<b>y</b>"),
            ("{{ html|length }} {{ html[:3] }} {{ html|first }}", "8 &lt;b&gt; &lt;"),
            ("{{ 'x' in html }} {{ html is string }} {{ html == '<b>x</b>' }}", "True True True"),
            ("{% if html %}1{% endif %}{% if nothing %}2{% endif %}", "1"),
            ("{{ '<'|safe }}{{ '<' }}", "<&lt;"),
        ];
        for (template, expected) in cases {
            let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
            tree.insert("templates/x.html", template.as_bytes(), &mut problems);
            let [html, nothing] = ["<b>x</b>", ""].map(|html| Markup::from(html.to_owned()));
            let view = Value::from(minijinja::value::Serde(context! { html => from_view(&html), nothing => from_view(&nothing) }));
            let templates = Templates::new(&tree, &mut problems);
            assert_eq!(templates.fill("x.html", &view).unwrap(), expected, "{template}");
        }
        let block = Block::html("<b>x</b>".to_owned());
        assert_eq!(serde_json::to_string(&block).unwrap(), "{\"html\":\"<b>x</b>\"}");
    }

    #[test]
    fn what_is_not_there_is_not_safe() {
        let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
        tree.insert("templates/x.html", b"{{ html|safe }}", &mut problems);
        let problem = Templates::new(&tree, &mut problems).fill("x.html", &context! {}).unwrap_err();
        assert!(problem.message.contains("undefined"), "{}", problem.message);
    }
}
