//! What stands beside an answer: what it costs, why it is so, and whether a second engine says the same.

use std::fmt::Write;

use serde_json::{Value as Json, json};
use tunbridge::net::ask::{Checked, Explanation, Plan, Says};

use crate::figures::{count, number, probability, signed};
use crate::json;
use crate::report::{Align, table};

/// A number of bytes as a person says it.
pub fn bytes(n: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let (mut left, mut unit) = (n, 0);
    while left >= 1000.0 && unit + 1 < units.len() {
        left /= 1000.0;
        unit += 1;
    }
    format!("{} {}", number(left), units[unit])
}

/// What a question costs, in words.
pub fn plan_words(plan: &Plan) -> String {
    let seconds = if plan.seconds < 0.001 { "less than a millisecond".into() } else { format!("some {} s", number(plan.seconds)) };
    let mut facts = vec![
        vec!["method".to_string(), plan.method.clone()],
        vec!["width".into(), plan.width.to_string()],
        vec!["largest table".into(), format!("{} entries over {}", count(plan.largest_table), listed(&plan.largest_over))],
        vec!["all tables".into(), format!("{} entries", count(plan.total_entries))],
    ];
    if plan.runs > 1.0 {
        facts.push(vec!["runs".into(), count(plan.runs)]);
    }
    if !plan.cutset.is_empty() {
        facts.push(vec!["cutset".into(), listed(&plan.cutset)]);
    }
    facts.push(vec!["memory".into(), format!("{} of {}", bytes(plan.bytes), bytes(plan.limit as f64 * 8.0))]);
    facts.push(vec!["time".into(), seconds]);
    let mut text = table(&["", ""], &[Align::Left; 2], &facts);
    let _ = match (plan.fits, plan.may_shrink) {
        (true, _) => writeln!(text, "\nIt fits."),
        (false, true) => writeln!(text, "\nIt may fit: {}", plan.advice),
        (false, false) => writeln!(text, "\nIt does not fit: {}", plan.advice),
    };
    text
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST { format!("{shown} … ({} in all)", names.len()) } else { shown }
}

/// What a question costs.
pub fn plan_object(query: &str, plan: &Plan) -> Json {
    json!({"query": query, "plan": {"method": plan.method, "width": plan.width, "largest_table": json::number(plan.largest_table),
        "largest_over": plan.largest_over, "total_entries": json::number(plan.total_entries), "runs": json::number(plan.runs),
        "bytes": json::number(plan.bytes), "seconds": json::real(plan.seconds), "fits": plan.fits, "may_shrink": plan.may_shrink, "cutset": plan.cutset, "advice": plan.advice}})
}

/// Nats in decibans, the unit that `explain` has.
const DECIBANS: f64 = 10.0 / std::f64::consts::LN_10;

/// Which findings speak for and against the answer.
pub fn words(explained: &Explanation) -> String {
    let mut text = format!(
        "Why {} has probability {}: before anything was found it was {}\n\n",
        explained.target,
        probability(explained.posterior),
        probability(explained.prior)
    );
    let weight = |nats: Option<f64>| nats.map_or_else(|| "decides".to_string(), |nats| signed(nats * DECIBANS, 2));
    let mut lines = Vec::new();
    for one in &explained.findings {
        let says = match one.says {
            Says::For => "speaks for it",
            Says::Against => "speaks against it",
            Says::NothingByTheGraph => "adds nothing: the others separate it",
            Says::NothingByTheNumbers => "adds nothing, as the numbers are",
        };
        lines.push(vec![
            one.finding.clone(),
            weight(one.weight_last),
            probability(one.p_without),
            weight(one.weight_alone),
            probability(one.p_alone),
            says.into(),
        ]);
    }
    let align = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left];
    text += &table(&["finding", "decibans", "without it", "alone", "with it alone", ""], &align, &lines);
    if let Some(mutual) = &explained.conflict {
        let _ = writeln!(text, "\n{mutual}");
    }
    text
}

/// The same for programs; weights are in nats.
pub fn object(explained: &Explanation) -> Json {
    serde_json::to_value(explained).unwrap_or(Json::Null)
}

/// What a second engine says.
pub fn checked_words(checked: &Checked) -> String {
    let method = checked.method.strip_prefix("exact, ").unwrap_or(&checked.method);
    if checked.agrees {
        return format!("checked by {method}: the largest difference is {}\n", number(checked.largest_difference));
    }
    format!("CHECK FAILED: {method} differs by {}; please report this with the network\n", number(checked.largest_difference))
}

/// The same for programs.
pub fn checked_object(checked: &Checked) -> Json {
    json!({"method": checked.method, "largest_difference": json::real(checked.largest_difference), "agrees": checked.agrees})
}
