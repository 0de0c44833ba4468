//! An estimate for programs: one JSON object.

use serde_json::{Map, Value, json};
use tunbridge::belief::distribution::{Distribution, credible_interval};
use tunbridge::estimate::{BayesFactor, Estimate, EstimateOptions, Parameter, Predictive};

use crate::json::{number, real};

pub fn facts(found: &Estimate, factor: Option<&BayesFactor>, options: &EstimateOptions) -> Value {
    let by_name = |value: &dyn Fn(&Parameter) -> Value| -> Value {
        Value::Object(found.parameters.iter().map(|parameter| (parameter.name.clone(), value(parameter))).collect())
    };
    let option = |x: Option<f64>| x.map_or(Value::Null, real);
    let first = &found.parameters[0];
    let mut value = json!({
        "family": found.family,
        "columns": found.columns,
        "n": number(found.n),
        "missing": found.n_missing,
        "prior": found.prior_text,
        "method": found.method,
        "ml": by_name(&|p| option(p.ml)),
        "map": by_name(&|p| option(p.map)),
        "posterior": belief_of(first),
        "predictive": predictive(&found.predictive, options),
        "interval": first.interval.map(real).to_vec(),
        "interval_probability": real(options.interval),
        "log_marginal_likelihood": option(found.log_marginal_likelihood),
        "parameters": by_name(&|p| {
            let mut facts = belief_of(p);
            facts["prior"] = p.prior.as_deref().map_or(Value::Null, described);
            facts["ml"] = option(p.ml);
            facts["map"] = option(p.map);
            facts["interval"] = p.interval.map(real).to_vec().into();
            if p.interval_is_of_draws {
                facts["interval_is_of_draws"] = true.into();
            }
            facts
        }),
    });
    if let Some(error) = found.log_marginal_likelihood_error.filter(|_| found.log_marginal_likelihood.is_some()) {
        value["log_marginal_likelihood_error"] = real(error);
        value["log_marginal_likelihood_method"] = found.log_marginal_likelihood_method.into();
    }
    if let Some(sampling) = &found.sampling {
        let mixed = found.parameters.iter().zip(&sampling.of_parameters).map(|(parameter, of)| {
            let facts = json!({"r_hat": real(of.r_hat), "bulk_effective_size": real(of.bulk_size),
                               "tail_effective_size": real(of.tail_size), "mean_error": real(of.mean_error)});
            (parameter.name.clone(), facts)
        });
        value["sampling"] = json!({"seed": sampling.seed, "chains": sampling.chains, "draws": sampling.draws,
                                   "parameters": Value::Object(mixed.collect())});
    }
    if let Some(factor) = factor {
        value["against"] = json!({
            "family": factor.family,
            "prior": factor.prior_text,
            "log_marginal_likelihood": real(factor.log_marginal_likelihood),
            "log_bayes_factor": real(factor.ln),
        });
        if let Some(density) = &factor.density {
            value["against"]["density"] = density.as_str().into();
        }
        if let Some(error) = factor.error {
            value["against"]["log_bayes_factor_error"] = real(error);
        }
    }
    if !found.draws.is_empty() {
        let draw = |draw: &Vec<f64>| -> Value {
            Value::Object(found.parameters.iter().zip(draw).map(|(parameter, x)| (parameter.name.clone(), real(*x))).collect())
        };
        value["draws"] = found.draws.iter().map(draw).collect::<Vec<Value>>().into();
        value["seed"] = options.seed.into();
    }
    value
}

/// Mean, standard deviation, and the distribution where it has a closed form.
fn belief_of(parameter: &Parameter) -> Value {
    let option = |x: Option<f64>| x.map_or(Value::Null, real);
    let mut facts = Map::new();
    facts.insert("mean".into(), option(parameter.mean));
    facts.insert("sd".into(), option(parameter.sd));
    if let Some(posterior) = &parameter.posterior {
        with_distribution(&mut facts, &**posterior);
    }
    Value::Object(facts)
}

/// A distribution by its name and parameters; what is there already has the same meaning and stays.
fn with_distribution(facts: &mut Map<String, Value>, of: &dyn Distribution) {
    let (name, parameters) = of.describe();
    facts.insert("distribution".into(), name.into());
    for (parameter, value) in parameters {
        facts.entry(parameter).or_insert_with(|| real(value));
    }
}

fn described(of: &dyn Distribution) -> Value {
    let mut facts = Map::new();
    facts.insert("mean".into(), of.mean().map_or(Value::Null, real));
    facts.insert("sd".into(), of.sd().map_or(Value::Null, real));
    with_distribution(&mut facts, of);
    Value::Object(facts)
}

fn predictive(of: &Predictive, options: &EstimateOptions) -> Value {
    let number = |next: &dyn Distribution| {
        let mut facts = described(next);
        facts["interval"] = credible_interval(next, options.interval, options.interval_kind).map(real).to_vec().into();
        facts
    };
    let pairs = |pairs: &[(String, f64)]| Value::Object(pairs.iter().map(|(name, x)| (name.clone(), real(*x))).collect());
    match of {
        Predictive::Number(next) => number(&**next),
        Predictive::States(states) => json!({"probability": pairs(states)}),
        Predictive::Columns(columns) => Value::Object(columns.iter().map(|(name, next)| (name.clone(), number(&**next))).collect()),
        Predictive::At { inputs, next } => {
            let mut facts = number(&**next);
            facts["at"] = pairs(inputs);
            facts
        }
        Predictive::ClassesAt { inputs, classes } => json!({"probability": pairs(classes), "at": pairs(inputs)}),
    }
}
