//! Turns `[policy]` and `[rules]` of `lessons/course.toml` into what the course asks of itself.
//!
//! Must not know which rules there are, nor hold anything to what is asked.

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems, Severity};
use crate::base::quantity::{Quantity, Rational};
use crate::base::span::Span;

use super::keys::{self, Keys};
use super::toml::Value;

/// What the course asks of itself.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Days after which evidence is too old; `None`: never.
    pub evidence_days: Option<u32>,
    /// The published devices that must have been measured on; `None`: all of them.
    pub required_devices: Option<Vec<String>>,
    /// Whether every run must be signed.
    pub signatures: Signatures,
    /// The share of a page's figures that may be stated, at most.
    pub stated_at_most: Option<Rational>,
    /// How the course weighs rules, by their names.
    pub rules: BTreeMap<String, Weight>,
}

/// Whether runs must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signatures {
    /// A signature that is there must be sound.
    #[default]
    Optional,
    /// Each run that feeds a page must have one.
    Required,
}

/// How the course weighs a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// What its problems weigh; `None`: it is off.
    pub severity: Option<Severity>,
    /// Why.
    pub reason: String,
    /// Where the rule is named.
    pub at: Span,
}

impl Policy {
    /// Whether a published device must have been measured on.
    #[must_use]
    pub fn requires(&self, device: &str) -> bool {
        self.required_devices.as_ref().is_none_or(|required| required.iter().any(|required| required == device))
    }
}

/// Reads `[policy]` and `[rules]` of the configuration `keys`, which publishes `devices`.
pub(super) fn read(keys: &mut Keys<'_>, devices: &[String], problems: &mut Problems) -> Policy {
    let mut policy = Policy::default();
    if let Some(mut table) = keys.table("policy", "`[policy]`", problems) {
        policy.evidence_days = table.integer("evidence_days", 1, 36_500, problems).and_then(|days| days.try_into().ok());
        policy.required_devices = required_devices(&mut table, devices, problems);
        policy.signatures = signatures(&mut table, problems);
        policy.stated_at_most = share(&mut table, "stated_at_most", problems);
        table.finish(problems);
    }
    if let Some(mut table) = keys.table("rules", "`[rules]`", problems) {
        for (rule, at, item) in table.all() {
            let Value::Table(weight) = &item.value else {
                problems.push(keys::unexpected(item, "a table with `level` and `reason`"));
                continue;
            };
            let weight = weigh(Keys::of(weight, "the rule", at.clone()), problems);
            policy.rules.extend(weight.map(|weight| (rule.to_owned(), weight)));
        }
        table.finish(problems);
    }
    policy
}

fn required_devices(table: &mut Keys<'_>, devices: &[String], problems: &mut Problems) -> Option<Vec<String>> {
    table.item("required_devices")?;
    let mut required = Vec::new();
    for device in table.texts("required_devices", problems) {
        if devices.iter().any(|published| published == device.text()) {
            required.push(device.text().to_owned());
        } else {
            let message = format!("`{}` is required and not published", device.text());
            let problem = Problem::error("toml-value", device.whole(), message).hint("name it under `published` in `[devices]` too");
            problems.push(problem.meant(device.text(), devices.iter().map(String::as_str)));
        }
    }
    Some(required)
}

fn signatures(table: &mut Keys<'_>, problems: &mut Problems) -> Signatures {
    let Some(text) = table.text("signatures", problems) else { return Signatures::default() };
    match text.text() {
        "required" => Signatures::Required,
        "optional" => Signatures::Optional,
        other => {
            let problem = Problem::error("toml-value", text.whole(), format!("signatures are not `{other}`"));
            problems.push(problem.hint("they are \"required\" or \"optional\""));
            Signatures::default()
        }
    }
}

/// A share such as `"15%"`.
fn share(table: &mut Keys<'_>, key: &str, problems: &mut Problems) -> Option<Rational> {
    let text = table.text(key, problems)?;
    let share = Quantity::parse_exact(text.text()).ok().filter(|share| &*share.unit.symbol == "%").and_then(|share| share.as_exact());
    let share = share.filter(|share| (Rational::from_integer(0)..=Rational::from_integer(1)).contains(share));
    if share.is_none() {
        let message = format!("`{}` is no share", text.text());
        problems.push(Problem::error("toml-value", text.whole(), message).hint("write a percentage from 0 to 100, such as \"15%\""));
    }
    share
}

fn weigh(mut weight: Keys<'_>, problems: &mut Problems) -> Option<Weight> {
    let level = weight.text("level", problems);
    let level = weight.required("level", level, problems);
    let reason = weight.title("reason", problems);
    let at = weight.at().clone();
    weight.finish(problems);
    let (level, reason) = level.zip(reason)?;
    let severity = match level.text() {
        "error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        "off" => None,
        other => {
            let problem = Problem::error("toml-value", level.whole(), format!("a rule's level is not `{other}`"));
            problems.push(problem.hint("it is \"error\", \"warning\" or \"off\""));
            return None;
        }
    };
    Some(Weight { severity, reason: reason.text().to_owned(), at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::config;
    use crate::tree::SourceTree;

    fn of(text: &str) -> (Policy, Vec<String>) {
        let mut tree = SourceTree::new();
        let mut problems = Problems::new();
        let text = format!("title = 'T'\n[devices]\npublished = ['a', 'b']\n{text}");
        tree.insert(config::FILE, text.as_bytes(), &mut problems);
        let config = config::read(&tree, &mut problems);
        let told = problems.iter().map(|problem| format!("{}: {}", problem.id, problem.message));
        (config.policy, told.collect())
    }

    #[test]
    fn everything_at_once() {
        let (policy, problems) = of(
            "[policy]\nevidence_days = 30\nrequired_devices = ['a']\nsignatures = 'required'\nstated_at_most = '12.5%'\n\
                                     [rules]\nunbound-figure = { level = 'warning', reason = 'old pages' }\n'evidence-old' = { level = 'off', reason = 'x' }\n",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!((policy.evidence_days, policy.signatures), (Some(30), Signatures::Required));
        assert!(policy.requires("a") && !policy.requires("b"));
        assert_eq!(policy.stated_at_most, Some(Rational::new(1, 8)));
        let weights: Vec<_> = policy.rules.iter().map(|(rule, weight)| (rule.as_str(), weight.severity, weight.reason.as_str())).collect();
        assert_eq!(weights, [("evidence-old", None, "x"), ("unbound-figure", Some(Severity::Warning), "old pages")]);
        assert!(of("").0.requires("b") && of("").0.signatures == Signatures::Optional);
    }

    #[test]
    fn mistakes_are_said() {
        let cases = [
            ("[policy]\nrequired_devices = ['c']", "toml-value: `c` is required and not published"),
            ("[policy]\nsignatures = 'maybe'", "toml-value: signatures are not `maybe`"),
            ("[policy]\nsignatures = true", "toml-type"),
            ("[policy]\nstated_at_most = '15'", "toml-value: `15` is no share"),
            ("[policy]\nstated_at_most = '150%'", "toml-value: `150%` is no share"),
            ("[policy]\nstated = '15%'", "toml-unknown-key: `[policy]` has no key `stated`"),
            ("[rules]\nx = 'off'", "toml-type"),
            ("[rules]\nx = { level = 'off' }", "toml-missing-key: the rule has no `reason`"),
            ("[rules]\nx = { reason = 'r' }", "toml-missing-key: the rule has no `level`"),
            ("[rules]\nx = { level = 'off', reason = ' ' }", "toml-value: `reason` is empty"),
            ("[rules]\nx = { level = 'none', reason = 'r' }", "toml-value: a rule's level is not `none`"),
            ("[rules]\nx = { level = 'off', reason = 'r', why = 'r' }", "toml-unknown-key: the rule has no key `why`"),
        ];
        for (text, expected) in cases {
            let (_, problems) = of(text);
            assert!(problems.len() == 1 && problems[0].starts_with(expected), "{text}: {problems:?}");
        }
    }
}
