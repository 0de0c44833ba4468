//! `weigh --joint`: what a full joint distribution says.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use tunbridge::belief::hypotheses::{Event, JointTable, JointVariable};
use tunbridge::{Error, read_joint};

use super::{print, print_json};
use crate::args::Common;
use crate::figures::{number, probability};
use crate::lists::items;
use crate::report::{Align, table};
use crate::weigh_args::WeighArgs;
use crate::{Failure, json};

/// Probabilities of pairs that differ by less are those of independent variables, but for what people round.
const INDEPENDENT: f64 = 1e-6;

pub fn run(args: &WeighArgs, common: &Common) -> Result<(), Failure> {
    let as_json = common.json()?;
    super::no_trace(common)?;
    let Some(path) = &args.joint else { return Ok(()) };
    let joint = read_joint(&[path], args.read.options(common), args.probability.as_deref())?;
    let (by, states) = variables_given(&joint, &args.given)?;
    let given = event(&joint, "--given", &states)?;
    if let Some(twice) = by.iter().find(|variable| given.iter().any(|(known, _)| known == *variable)) {
        return Err(Failure::Usage(format!("--given names `{}` twice", joint.variables()[*twice].name)));
    }
    let of = asked(&joint, args, &given, &by)?;
    // What is given by all its states comes first, and each of them is by itself.
    let together = joint.conditional(&[by.clone(), of].concat(), &given).map_err(Error::from)?;
    let by: Vec<usize> = (0..by.len()).collect();
    let answer = Answer { p: within_states(&together, &by), together, by };
    let either: Vec<Event> = event(&joint, "--either", &args.either)?.into_iter().map(|part| vec![part]).collect();
    let pairs = answer.pairs();
    if as_json {
        return print_json(&object(&joint, &answer, &given, &either, &pairs)?);
    }
    let mut text = String::new();
    if !given.is_empty() {
        let _ = writeln!(text, "P({}) = {}\n", joint.words(&given), number(joint.probability(&given)));
        let factors = joint.chain_rule(&given);
        if factors.len() > 1 {
            let product: Vec<String> = factors.iter().map(|factor| number(*factor)).collect();
            let _ = writeln!(text, "by the chain rule {}\n", product.join(" · "));
        }
    }
    text += &cells(&answer.together, &answer.p, &answer.header());
    if answer.by.is_empty() && answer.variables().len() > 1 {
        for place in 0..answer.variables().len() {
            let of_one = answer.together.marginal(&[place]).map_err(Error::from)?;
            let _ = write!(text, "\n{}", cells(&of_one, of_one.cells(), "probability"));
        }
    }
    if !either.is_empty() {
        let (p, terms) = joint.either(&either, &given).map_err(Error::from)?;
        let words: Vec<String> = either.iter().map(|event| joint.words(event)).collect();
        let sum: String = terms
            .iter()
            .enumerate()
            .map(|(nth, term)| match (nth, *term < 0.0) {
                (0, _) => number(*term),
                (_, true) => format!(" − {}", number(-term)),
                (_, false) => format!(" + {}", number(*term)),
            })
            .collect();
        let under = if given.is_empty() { String::new() } else { format!(" | {}", joint.words(&given)) };
        let _ = writeln!(text, "\nP({}{under}) = {sum} = {}", words.join(" or "), number(p));
    }
    if !pairs.is_empty() {
        let known =
            answer.by.iter().map(|place| answer.variables()[*place].name.clone()).chain((!given.is_empty()).then(|| joint.words(&given)));
        let known = known.collect::<Vec<String>>().join(", ");
        let under = if known.is_empty() { String::new() } else { format!(" given {known}") };
        let name = |place: usize| &answer.variables()[place].name;
        text.push('\n');
        for (a, b, apart) in &pairs {
            let said = if *apart <= INDEPENDENT {
                "are independent".into()
            } else {
                format!("are not independent: probabilities differ by up to {}", number(*apart))
            };
            let _ = writeln!(text, "{} and {}{under} {said}", name(*a), name(*b));
        }
    }
    print(&text)
}

/// What is asked for, and what it is asked for under.
struct Answer {
    /// All the variables, those given by all their states first.
    together: JointTable,
    /// The probability of each cell, given the states of the latter.
    p: Vec<Option<f64>>,
    by: Vec<usize>,
}

impl Answer {
    fn variables(&self) -> &[JointVariable] {
        self.together.variables()
    }

    /// How far any two of the variables that are asked for are from independence. Of very many the table is left to speak for itself.
    fn pairs(&self) -> Vec<(usize, usize, f64)> {
        const MOST_WORK: usize = 1 << 27;
        let (first, n) = (self.by.len(), self.variables().len());
        if n * n / 2 * self.together.cells().len() > MOST_WORK {
            return Vec::new();
        }
        let pairs = (first..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        pairs.map(|(a, b)| (a, b, self.together.dependence(&[a], &[b], &self.by))).collect()
    }

    fn header(&self) -> String {
        let names = |places: &[usize]| places.iter().map(|place| self.variables()[*place].name.as_str()).collect::<Vec<_>>().join(", ");
        match self.by.is_empty() {
            true => "probability".into(),
            false => format!("P({} | {})", names(&(self.by.len()..self.variables().len()).collect::<Vec<_>>()), names(&self.by)),
        }
    }
}

/// Each cell's probability given the states that it has of the first variables; none where these are impossible.
fn within_states(together: &JointTable, by: &[usize]) -> Vec<Option<f64>> {
    let n_cells = together.cells().len();
    let n_states: usize = by.iter().map(|place| together.variables()[*place].states.len()).product();
    let size = n_cells / n_states;
    let of_run = |run: &[f64]| {
        let total: f64 = run.iter().sum();
        // Without a condition they sum to one as they are.
        run.iter().map(|p| if by.is_empty() { Some(*p) } else { (total > 0.0).then(|| (p / total).min(1.0)) }).collect::<Vec<_>>()
    };
    together.cells().chunks(size).flat_map(of_run).collect()
}

/// Variables of `--given` without a state, and the items with one.
fn variables_given(joint: &JointTable, lists: &[String]) -> Result<(Vec<usize>, Vec<String>), Failure> {
    let (mut by, mut states) = (Vec::new(), Vec::new());
    for item in lists.iter().flat_map(|list| items(list)) {
        // A name may hold the sign itself.
        if item.contains('=') && joint.variable(item.trim()).is_err() {
            states.push(item);
            continue;
        }
        let variable = joint.variable(item.trim()).map_err(Error::from)?;
        if by.contains(&variable) {
            return Err(Failure::Usage(format!("--given names `{item}` twice")));
        }
        by.push(variable);
    }
    Ok((by, states))
}

/// `NAME=STATE` items.
fn event(joint: &JointTable, flag: &str, lists: &[String]) -> Result<Event, Failure> {
    let mut event: Event = Vec::new();
    for item in lists.iter().flat_map(|list| items(list)) {
        // A name may hold the sign itself: the longest that is a variable's is meant.
        let splits = || item.match_indices('=').map(|(at, _)| (item[..at].trim(), item[at + 1..].trim()));
        let known = splits().rfind(|(name, _)| joint.variable(name).is_ok());
        let (name, state) = known
            .or_else(|| splits().next())
            .ok_or_else(|| Failure::Usage(format!("{flag} `{item}`: write NAME=STATE, as in Weather=sunny")))?;
        let part = joint.state(name, state).map_err(Error::from)?;
        if flag == "--given" && event.iter().any(|(variable, _)| *variable == part.0) {
            return Err(Failure::Usage(format!("{flag} names `{name}` twice")));
        }
        event.push(part);
    }
    Ok(event)
}

/// The variables that are asked for.
fn asked(joint: &JointTable, args: &WeighArgs, given: &Event, by: &[usize]) -> Result<Vec<usize>, Failure> {
    let is_given = |variable: usize| by.contains(&variable) || given.iter().any(|(known, _)| *known == variable);
    let named: Vec<String> = args.of.iter().flat_map(|list| items(list)).collect();
    if named.is_empty() {
        let rest: Vec<usize> = (0..joint.variables().len()).filter(|variable| !is_given(*variable)).collect();
        return if rest.is_empty() {
            Err(Failure::Usage("--given names every variable: nothing is left to ask for".into()))
        } else {
            Ok(rest)
        };
    }
    let mut of = Vec::new();
    for name in &named {
        let variable = joint.variable(name.trim()).map_err(Error::from)?;
        if is_given(variable) || of.contains(&variable) {
            return Err(Failure::Usage(format!("--of names `{name}`, which is there already")));
        }
        of.push(variable);
    }
    Ok(of)
}

/// The cells of a table, one a line, with their probabilities.
fn cells<P: Copy + Into<Option<f64>>>(of: &JointTable, p: &[P], header: &str) -> String {
    let names: Vec<&str> = of.variables().iter().map(|variable| variable.name.as_str()).chain([header]).collect();
    let line = |cell: usize| {
        let states = of.states_of(cell).into_iter().zip(of.variables()).map(|(state, variable)| variable.states[state].clone());
        states.chain([p[cell].into().map_or_else(|| "none".into(), probability)]).collect::<Vec<_>>()
    };
    let align: Vec<Align> = of.variables().iter().map(|_| Align::Left).chain([Align::Right]).collect();
    table(&names, &align, &(0..of.cells().len()).map(line).collect::<Vec<_>>())
}

fn object(joint: &JointTable, answer: &Answer, given: &Event, either: &[Event], pairs: &[(usize, usize, f64)]) -> Result<Value, Failure> {
    let names: Vec<&str> = answer.variables()[answer.by.len()..].iter().map(|variable| variable.name.as_str()).collect();
    let cell = |cell: usize| {
        let states = answer.together.states_of(cell).into_iter().zip(answer.variables());
        let mut object: Map<String, Value> =
            states.map(|(state, variable)| (variable.name.clone(), json!(variable.states[state]))).collect();
        // A variable may have that name itself.
        let key = if object.contains_key("p") { "probability" } else { "p" };
        object.insert(key.into(), answer.p[cell].map_or(Value::Null, json::real));
        Value::Object(object)
    };
    let mut marginals = Map::new();
    for (place, variable) in answer.variables().iter().enumerate().skip(answer.by.len()) {
        let of = answer.together.marginal(&[place]).map_err(Error::from)?;
        let p: Map<String, Value> = variable.states.iter().cloned().zip(of.cells().iter().map(|p| json::real(*p))).collect();
        marginals.insert(variable.name.clone(), Value::Object(p));
    }
    let mut object = json!({
        "variables": names,
        "table": (0..answer.p.len()).map(cell).collect::<Vec<_>>(),
        "marginals": marginals,
    });
    if !given.is_empty() {
        let of: Map<String, Value> = given
            .iter()
            .map(|(variable, state)| {
                let variable = &joint.variables()[*variable];
                (variable.name.clone(), json!(variable.states[*state]))
            })
            .collect();
        object["given"] = Value::Object(of);
        object["p_given"] = json::real(joint.probability(given));
    }
    if !answer.by.is_empty() {
        let names: Vec<&str> = answer.by.iter().map(|place| answer.variables()[*place].name.as_str()).collect();
        object["given_variables"] = json!(names);
    }
    if !either.is_empty() {
        object["p_either"] = json::real(joint.either(either, given).map_err(Error::from)?.0);
    }
    let pair = |(a, b, apart): &(usize, usize, f64)| {
        json!({"variables": [answer.variables()[*a].name, answer.variables()[*b].name],
               "independent": *apart <= INDEPENDENT, "greatest_difference": json::real(*apart)})
    };
    object["pairs"] = json!(pairs.iter().map(pair).collect::<Vec<_>>());
    Ok(object)
}
