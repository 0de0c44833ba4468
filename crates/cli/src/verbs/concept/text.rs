//! What a person reads of a concept.

use std::fmt::{Display, Write};

use tunbridge::concept::{Answer, Concept, ConceptData};
use tunbridge::learners::concept::{Attribute, Estimate, Hypothesis, Question, Size, UnbiasedLearner, Values};

use super::{Classified, Outcome};
use crate::figures::{number, of, percent, probability};
use crate::report::{Align, table};

/// The most members of G that are shown.
const SHOWN: usize = 50;

impl Outcome<'_> {
    pub fn text(&self, title: &str) -> String {
        let data = self.data;
        let n_positive = of(data.examples.n_positive() as f64, "of them", "of them");
        let mut text = format!(
            "{title}: {}, {n_positive} positive ({} = {})\n\n",
            of(data.examples.len() as f64, "example", "examples"),
            data.target,
            data.positive
        );
        text += &attributes(data);
        text.push('\n');
        text += &self.learned();
        if let Some(question) = self.question {
            let _ = writeln!(text, "\nBest next question ({})\n  {}", split_words(question), instance(data, &question.instance));
        }
        if !self.classified.is_empty() {
            let _ = write!(text, "\n{}", self.classified());
        }
        if self.options.noise.is_none() {
            let _ = writeln!(text, "\nInductive bias: {}", self.learned.learner.inductive_bias());
            if let Some(map) = self.learned.learner.as_map() {
                let _ = writeln!(text, "Most probable: {map}");
            }
        }
        text
    }

    fn learned(&self) -> String {
        let space = &self.data.space;
        let mut text = String::new();
        match &self.learned.concept {
            Concept::FindS(least, wrong) => {
                let _ = writeln!(text, "{}", space.written(least));
                let _ = match wrong {
                    Some(row) => writeln!(text, "It covers row {row}, which is negative: FIND-S does not look at negative examples."),
                    None => writeln!(text, "It agrees with every example; whether it is the only one, FIND-S cannot tell."),
                };
                let _ = writeln!(text, "\n{}", self.n_hypotheses());
            }
            Concept::VersionSpace(found) => {
                text += &boundaries(self.data, std::slice::from_ref(found.specific()), found.general());
                let members = found.members(self.list);
                text += &self.size(members.as_deref(), found.specific(), found.general());
            }
            Concept::Listed(listed) => {
                let clone = |all: Vec<&Hypothesis>| all.into_iter().cloned().collect::<Vec<_>>();
                let (specific, general) = (clone(listed.specific()), clone(listed.general()));
                text += &boundaries(self.data, &specific, &general);
                let members = (listed.hypotheses.len() <= self.list).then_some(listed.hypotheses.as_slice());
                text += &self.size(members, &specific[0], &general);
            }
            Concept::Rote(rote) => {
                let _ = writeln!(text, "{} known by heart", of(rote.n_known() as f64, "instance is", "instances are"));
            }
            Concept::Unbiased(unbiased) => text += &unbiased_words(self.data, unbiased),
            Concept::Bayesian(posterior) => {
                let rate = percent(self.options.noise.unwrap_or_default());
                let _ = writeln!(
                    text,
                    "{} are weighed; {rate} of the labels are taken to be wrong\n",
                    of(posterior.n_hypotheses() as f64, "hypothesis", "hypotheses")
                );
                let rows: Vec<Vec<String>> =
                    posterior.most_probable(self.list).iter().map(|(h, p)| vec![space.written(h), probability(*p)]).collect();
                text += &table(&["most probable hypotheses", "probability"], &[Align::Left, Align::Right], &rows);
                let more = posterior.n_map();
                if more > 1 {
                    let _ = writeln!(text, "  {} hypotheses are the most probable alike", number(more as f64));
                }
                let _ = writeln!(text, "\nln P(labels) = {}", number(posterior.log_marginal_likelihood()));
            }
        }
        text
    }

    fn n_hypotheses(&self) -> String {
        let space = &self.data.space;
        format!("There are {} hypotheses, written in {} ways", whole(&space.n_semantic()), whole(&space.n_syntactic()))
    }

    fn size(&self, members: Option<&[Hypothesis]>, specific: &Hypothesis, general: &[Hypothesis]) -> String {
        let space = &self.data.space;
        let of_all = format!("of {}, which are written in {} ways", whole(&space.n_semantic()), whole(&space.n_syntactic()));
        let mut text = match self.learned.size() {
            Some(Size::Exact(n)) if n == 1_u32.into() => format!("The version space has one hypothesis, {of_all}: the concept is found\n"),
            Some(Size::Exact(n)) => format!("The version space has {} hypotheses, {of_all}\n", whole(&n)),
            Some(Size::Estimate(about)) => format!("{}, {of_all}\n", estimate_words(&about)),
            None => String::new(),
        };
        for member in members.filter(|members| members.len() > 1).into_iter().flatten() {
            let side = if member == specific {
                "  S"
            } else if general.contains(member) {
                "  G"
            } else {
                ""
            };
            let _ = writeln!(text, "  {}{side}", space.written(member));
        }
        text
    }

    fn classified(&self) -> String {
        let data = self.data;
        let row = |classified: &Classified| {
            let mut cells = vec![classified.row.to_string()];
            match &classified.answer {
                Err(attribute) => cells.extend(["?".into(), String::new(), format!("`{attribute}` is missing")]),
                Ok((_, answer)) => cells.extend(answer_words(data, answer, self.options.noise.is_some())),
            }
            cells
        };
        let rows: Vec<Vec<String>> = self.classified.iter().map(row).collect();
        let says = match () {
            () if self.options.noise.is_some() => format!("P({})", data.positive),
            () if rows.iter().all(|row| row[2].is_empty()) => String::new(),
            () => "votes".into(),
        };
        table(&["row", &data.target, &says, ""], &[Align::Right, Align::Left, Align::Right, Align::Left], &rows)
    }
}

fn answer_words(data: &ConceptData, answer: &Answer, is_probability: bool) -> [String; 3] {
    let name = |positive: bool| if positive { data.positive.clone() } else { data.negative.clone() };
    let said = answer.positive.map_or("?".into(), name);
    let votes = match (&answer.votes, answer.share) {
        (Some((yes, all)), _) => format!("{} of {}", whole(yes), whole(all)),
        (None, Some(share)) if is_probability => probability(share),
        (None, Some(share)) => percent(share),
        (None, None) => String::new(),
    };
    let how = match (answer.sure, answer.positive, answer.share) {
        (true, _, _) => "surely",
        (false, Some(_), Some(_)) if is_probability => "",
        (false, Some(_), Some(_)) => "by majority",
        (false, Some(_), None) => "",
        (false, None, Some(_)) => "half say yes: no answer",
        (false, None, None) => "never met: no answer",
    };
    [said, votes, how.into()]
}

fn attributes(data: &ConceptData) -> String {
    let values = |attribute: &Attribute| match &attribute.values {
        Values::Tree(tree) => format!("{}: {}", tree.state_places().len(), tree.outline(12)),
        Values::Range(range) => match range.seen() {
            [] => "no numbers".into(),
            [one] => format!("the number {one}"),
            [first, .., last] => format!("{} from {first} to {last}", of(range.seen().len() as f64, "number", "numbers")),
        },
    };
    let rows: Vec<Vec<String>> = data.space.attributes().iter().map(|a| vec![a.name.clone(), values(a)]).collect();
    table(&["attribute", "values"], &[Align::Left, Align::Left], &rows)
}

/// S and G, a line a member.
pub fn boundaries(data: &ConceptData, specific: &[Hypothesis], general: &[Hypothesis]) -> String {
    let mut text = String::new();
    for (name, members) in [("S", specific), ("G", general)] {
        for (at, member) in members.iter().take(SHOWN).enumerate() {
            let _ = writeln!(text, "{}  {}", if at == 0 { name } else { " " }, data.space.written(member));
        }
        if members.len() > SHOWN {
            let _ = writeln!(text, "   … and {} more", whole(&(members.len() - SHOWN)));
        }
    }
    text.push('\n');
    text
}

/// S and G as the book writes them: the disjunction of the positive examples, and the negation of that of the negative ones.
fn unbiased_words(data: &ConceptData, unbiased: &UnbiasedLearner) -> String {
    let disjunction = |positive: bool| {
        let mut of_one = data.examples.iter().filter(|e| e.positive == positive).map(|e| format!("x{}", e.row));
        let shown: Vec<String> = of_one.by_ref().take(12).collect();
        let more = if of_one.next().is_some() { " ∨ …" } else { "" };
        if shown.is_empty() { "∅".into() } else { format!("{}{more}", shown.join(" ∨ ")) }
    };
    let (all, rest) = (whole(unbiased.n_instances()), whole(&unbiased.n_not_met()));
    format!(
        "S  {}\nG  ¬({})\n   where x1 is the instance of row 1\n\n\
         Of {all} instances {rest} were not met. Each may be positive or not, so the version space has 2^{rest} hypotheses,\n\
         and of each instance that was not met exactly half of them say yes: without a bias nothing follows from the examples.\n",
        disjunction(true),
        disjunction(false),
    )
}

/// How a question splits the version space.
pub fn split_words(question: &Question) -> String {
    let split = match &question.counted {
        Some((yes, all)) => format!("{} of {} say yes", whole(yes), whole(all)),
        None => format!("about {} say yes", percent(question.share)),
    };
    if question.is_best { split } else { format!("{split}; the best of those looked at") }
}

/// An instance by its names and values.
pub fn instance(data: &ConceptData, instance: &[u32]) -> String {
    let named = data.space.attributes().iter().zip(data.space.values(instance)).map(|(a, value)| format!("{} = {value}", a.name));
    named.collect::<Vec<_>>().join(", ")
}

fn estimate_words(about: &Estimate) -> String {
    format!(
        "The version space has about {} hypotheses (± {}, from {} random members; surely {} to {})",
        whole(&about.n),
        percent(about.relative_error),
        whole(&about.n_draws),
        whole(&about.at_least),
        whole(&about.at_most),
    )
}

/// A whole number of any length, with separators; beyond 24 digits, its size.
pub fn whole(n: &impl Display) -> String {
    let digits = n.to_string();
    if digits.len() > 24 {
        return format!("{}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1);
    }
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
