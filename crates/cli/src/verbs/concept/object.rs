//! What programs read of a concept.

use std::fmt::Display;

use serde_json::{Map, Value, json};
use tunbridge::concept::{Answer, Concept};
use tunbridge::learners::concept::{Hypothesis, Question, Size};

use super::{Classified, Outcome};
use crate::concept_args::LearnerArg;
use crate::json;

impl Outcome<'_> {
    pub fn object(&self, remarks: &[String]) -> Value {
        let (data, space) = (self.data, &self.data.space);
        let words = |h: &Hypothesis| json!(space.words(h));
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.into(), value);
        let mut members = None;
        match &self.learned.concept {
            Concept::FindS(least, wrong) => {
                put("s", json!([words(least)]));
                put("consistent", json!(wrong.is_none()));
            }
            Concept::VersionSpace(found) => {
                put("s", json!([words(found.specific())]));
                put("g", found.general().iter().map(words).collect());
                members = found.members(self.list);
            }
            Concept::Listed(listed) => {
                put("s", listed.specific().into_iter().map(words).collect());
                put("g", listed.general().into_iter().map(words).collect());
                members = (listed.hypotheses.len() <= self.list).then(|| listed.hypotheses.clone());
            }
            Concept::Rote(rote) => {
                put("instances_met", json!(rote.n_known()));
            }
            Concept::Unbiased(unbiased) => {
                let (positive, negative) = unbiased.n_met();
                put("instances", whole(unbiased.n_instances()));
                put("positive_instances", json!(positive));
                put("negative_instances", json!(negative));
                put("version_space", power_of_two(&unbiased.n_not_met()));
            }
            Concept::Bayesian(posterior) => {
                put("noise", json!(self.options.noise));
                let probable = posterior.most_probable(self.list);
                put("map", probable.first().map_or(Value::Null, |(h, _)| words(h)));
                put("n_map", json!(posterior.n_map()));
                put("posterior", probable.iter().map(|(h, p)| json!({"hypothesis": words(h), "p": p})).collect());
                put("log_marginal_likelihood", json::real(posterior.log_marginal_likelihood()));
            }
        }
        if let Some(size) = self.learned.size() {
            put("version_space", whole(size.n()));
            if let Size::Estimate(about) = &size {
                put(
                    "version_space_estimate",
                    json!({"relative_error": about.relative_error, "at_least": whole(&about.at_least),
                    "at_most": whole(&about.at_most), "draws": about.n_draws, "seed": self.options.seed}),
                );
            }
        }
        put("syntactic", whole(&space.n_syntactic()));
        put("semantic", whole(&space.n_semantic()));
        if let Some(members) = members {
            put("hypotheses", members.iter().map(words).collect());
        }
        put("learner", json!(if self.options.noise.is_some() { "bayesian" } else { LearnerArg::word(self.learned.learner) }));
        put("target", json!(data.target));
        put("positive", json!(data.positive));
        put("attributes", space.attributes().iter().map(|a| json!(a.name)).collect());
        put("examples", json!(data.examples.len()));
        put("positive_examples", json!(data.examples.n_positive()));
        put("rows_without_target", json!(data.left_out.without_label));
        put("rows_with_gaps", json!(data.left_out.with_gaps));
        if self.learned.version_space().is_some() {
            put("question", self.question.map_or(Value::Null, |question| self.question_object(question)));
        }
        if self.options.noise.is_none() {
            put("bias", json!(self.learned.learner.inductive_bias()));
        }
        if !self.classified.is_empty() {
            put("classified", self.classified.iter().map(|row| self.classified_object(row)).collect());
        }
        put("remarks", json!(remarks));
        Value::Object(object)
    }

    fn question_object(&self, question: &Question) -> Value {
        let values = self.data.space.values(&question.instance);
        let named = self.data.space.attributes().iter().zip(values).map(|(a, value)| (a.name.clone(), json!(value)));
        let mut object = json!({"instance": named.collect::<Map<_, _>>(), "share": question.share, "best": question.is_best});
        if let Some((yes, _)) = &question.counted {
            object["votes"] = whole(yes);
        }
        object
    }

    fn classified_object(&self, row: &Classified) -> Value {
        let data = self.data;
        let Ok((values, Answer { positive, sure, share, votes })) = &row.answer else {
            let missing = row.answer.as_ref().err();
            return json!({"row": row.row, "predicted": Value::Null, "sure": false, "missing": missing});
        };
        let name = |positive: bool| if positive { &data.positive } else { &data.negative };
        let mut object = json!({"row": row.row, "predicted": positive.map(name), "sure": sure});
        if let Some(share) = share {
            let word = if self.options.noise.is_some() { "p_positive" } else { "share" };
            object[word] = json!(share);
        }
        if let Some((yes, all)) = votes {
            (object["votes"], object["of"]) = (whole(yes), whole(all));
        }
        object["instance"] =
            Value::Object(data.space.attributes().iter().map(|a| a.name.clone()).zip(values.iter().map(|v| json!(v))).collect());
        object
    }
}

/// A whole number: a number up to 2⁵³, where every reader of JSON has it exactly, and its digits as a text beyond.
fn whole(n: &impl Display) -> Value {
    const EXACT: u64 = 1 << 53;
    let digits = n.to_string();
    digits.parse::<u64>().ok().filter(|n| *n <= EXACT).map_or_else(|| json!(digits), |n| json!(n))
}

/// Two to a power: a number up to 2⁵³, and `2^n` beyond, since the digits may be more than there is room for.
fn power_of_two(exponent: &impl Display) -> Value {
    let text = exponent.to_string();
    text.parse::<u32>().ok().filter(|exponent| *exponent <= 53).map_or_else(|| json!(format!("2^{text}")), |e| json!(1_u64 << e))
}
