//! Worked examples of textbooks.

use belief::{Chunk, Codes, Column, Kind, Role, Schema, States, SufficientStatistic, Variable, normalise_ln};

use crate::{Contest, Estimate, LeaveOneOut, NaiveBayes, NaiveBayesPrior, NaiveBayesStatistic, Treatment, Unit, Weighed, telling_evidence};

/// Mitchell 1997, Table 3.2: fourteen days, and whether tennis was played.
const DAYS: &str = "\
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No";

const NAMES: [&str; 5] = ["Outlook", "Temperature", "Humidity", "Wind", "PlayTennis"];

pub(super) struct PlayTennis {
    pub(super) schema: Schema,
    pub(super) statistic: NaiveBayesStatistic,
    codes: Vec<Vec<u8>>,
}

impl PlayTennis {
    pub(super) fn new() -> Self {
        let rows: Vec<Vec<&str>> = DAYS.lines().map(|line| line.split(' ').collect()).collect();
        let (mut variables, mut codes) = (Vec::new(), Vec::new());
        for (place, name) in NAMES.into_iter().enumerate() {
            let mut names: Vec<String> = rows.iter().map(|row| row[place].to_string()).collect();
            names.sort();
            names.dedup();
            codes.push(rows.iter().map(|row| names.iter().position(|n| n == row[place]).unwrap() as u8).collect::<Vec<u8>>());
            let role = if place == 4 { Role::Target } else { Role::Input };
            let states = States::default().with_seen(names).unwrap();
            variables.push(Variable { name: name.into(), kind: Kind::Categorical(states), role });
        }
        let schema = Schema::new(variables).unwrap();
        let treatments = vec![Treatment::Categorical; 5];
        let mut play_tennis = Self { statistic: NaiveBayesStatistic::empty(&treatments, 4, &schema.cardinalities()), schema, codes };
        let mut statistic = play_tennis.statistic.clone();
        play_tennis.with_codes(&play_tennis.codes, |chunk| statistic.observe(*chunk).unwrap());
        play_tennis.statistic = statistic;
        play_tennis
    }

    pub(super) fn with_codes<R>(&self, codes: &[Vec<u8>], f: impl FnOnce(&Chunk<'_>) -> R) -> R {
        let n_states = self.schema.cardinalities();
        let columns: Vec<Column<'_>> =
            codes.iter().zip(n_states).map(|(codes, n_states)| Column::Categorical { codes: Codes::U8(codes), n_states }).collect();
        f(&Chunk { first_row: 0, n_rows: codes[0].len(), columns: &columns, weights: None })
    }

    /// A day to be classified.
    fn with_day<R>(&self, day: [&str; 4], f: impl FnOnce(&Chunk<'_>) -> R) -> R {
        let code = |(place, state): (usize, &str)| {
            vec![self.schema.states(belief::VarId::new(place)).unwrap().names().iter().position(|n| n == state).unwrap() as u8]
        };
        let mut codes: Vec<Vec<u8>> = day.into_iter().enumerate().map(code).collect();
        codes.push(vec![u8::MAX]);
        self.with_codes(&codes, f)
    }

    pub(super) fn model(&self, estimate: &str) -> NaiveBayes {
        let prior = NaiveBayesPrior { estimate: estimate.parse().unwrap(), ..NaiveBayesPrior::default() };
        NaiveBayes::new(&self.schema, &self.statistic, &prior).unwrap()
    }
}

const NEW_DAY: [&str; 4] = ["Sunny", "Cool", "High", "Strong"];

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} for {expected}");
}

/// Mitchell 1997, section 6.9.1: v(Yes) = 0.0053, v(No) = 0.0206, and normalised P(No) = 0.795.
#[test]
fn play_tennis_by_maximum_likelihood() {
    let play_tennis = PlayTennis::new();
    let model = play_tennis.model("ml");
    assert_eq!(model.class_names(), ["No", "Yes"]);
    let mut scores = Vec::new();
    play_tennis.with_day(NEW_DAY, |day| model.ln_joint(day, &mut scores)).unwrap();
    // By hand: 9/14 · 2/9 · 3/9 · 3/9 · 3/9 and 5/14 · 3/5 · 1/5 · 4/5 · 3/5.
    assert_close(scores[1].exp(), 9.0 / 14.0 * 2.0 / 9.0 / 27.0, 1e-16);
    assert_close(scores[1].exp(), 0.005291, 5e-7);
    assert_close(scores[0].exp(), 0.02057, 5e-6);
    normalise_ln(&mut scores);
    assert_close(scores[0].exp(), 0.7954, 5e-5);
    let said = play_tennis.with_day(NEW_DAY, |day| model.contributions(day, 0)).unwrap();
    let wind = said[3].as_ref().unwrap();
    assert_close(wind[1].exp(), 3.0 / 9.0, 1e-15);
    assert_close(wind[0].exp(), 3.0 / 5.0, 1e-15);
    assert!(said[4].is_none());
}

/// Mitchell's m-estimate with p = 1/3 and m = 3: P(Overcast | No) = (0 + 1)/(5 + 3), where maximum likelihood says it never happens.
#[test]
fn an_overcast_day_is_impossible_only_by_maximum_likelihood() {
    let play_tennis = PlayTennis::new();
    let day = ["Overcast", "Cool", "High", "Strong"];
    let outlook = |estimate: &str| {
        let model = play_tennis.model(estimate);
        play_tennis.with_day(day, |day| model.contributions(day, 0)).unwrap()[0].clone().unwrap()[0]
    };
    assert_eq!(outlook("ml"), f64::NEG_INFINITY);
    assert_eq!(outlook("m:0"), f64::NEG_INFINITY);
    assert_close(outlook("m:3").exp(), 1.0 / 8.0, 1e-15);
    assert_close(outlook("laplace").exp(), 1.0 / 8.0, 1e-15);
    assert_close(outlook("dirichlet:3").exp(), 1.0 / 8.0, 1e-15);
    assert_close(outlook("m:7:empirical").exp(), 7.0 * 4.0 / 14.0 / 12.0, 1e-15);
}

/// ln P(No)/P(Yes) = ln 5/9 and the four ratios by hand.
#[test]
fn the_ledger_of_the_new_day_adds_up() {
    let play_tennis = PlayTennis::new();
    let model = play_tennis.model("ml");
    let ledger = play_tennis.with_day(NEW_DAY, |day| model.explain(&play_tennis.schema, day, 0, Contest::default())).unwrap();
    assert_eq!((ledger.class.as_str(), ledger.against.as_str()), ("No", "Yes"));
    assert_close(ledger.prior_log_odds, (5.0_f64 / 9.0).ln(), 1e-15);
    let said: Vec<(&str, f64)> = ledger.entries.iter().map(|e| (e.variable.as_str(), e.log_odds)).collect();
    let by_hand = [("Outlook", 2.7), ("Humidity", 2.4), ("Wind", 1.8), ("Temperature", 0.6_f64)];
    for ((variable, found), (expected_variable, ratio)) in said.iter().zip(by_hand) {
        assert_eq!(*variable, expected_variable);
        assert_close(*found, ratio.ln(), 1e-14);
    }
    assert_eq!(ledger.entries[0].value, Weighed::State("Sunny".into()));
    assert_close(ledger.posterior_log_odds.unwrap(), (5.0_f64 / 9.0 * 2.7 * 2.4 * 1.8 * 0.6).ln(), 1e-13);
    assert_close(ledger.probability.unwrap(), 0.7954, 5e-5);
    assert_close(Unit::Decibans.of_nats(ledger.posterior_log_odds.unwrap()), 5.897, 5e-4);
}

/// Rows that nobody else is like are classified worse when they are held out.
#[test]
fn play_tennis_left_out_one_by_one() {
    let play_tennis = PlayTennis::new();
    let model = play_tennis.model("laplace");
    let leave_one_out = LeaveOneOut::new(&play_tennis.schema, &play_tennis.statistic, &model).unwrap();
    let mut scores = Vec::new();
    play_tennis.with_codes(&play_tennis.codes, |chunk| leave_one_out.ln_joint(chunk, &mut scores)).unwrap();
    // The first day by hand: 4/13 · (2+1)/(4+3) · (1+1)/(4+3) · (3+1)/(4+2) · (1+1)/(4+2) for No.
    assert_close(scores[0].exp(), 4.0 / 13.0 * 3.0 / 7.0 * 2.0 / 7.0 * 4.0 / 6.0 * 2.0 / 6.0, 1e-15);
    assert_close(scores[1].exp(), 9.0 / 13.0 * 3.0 / 12.0 * 3.0 / 12.0 * 4.0 / 11.0 * 7.0 / 11.0, 1e-15);
}

/// P(Overcast | Yes) = 4/9 and never without: an overcast day says most for playing.
#[test]
fn what_tells_the_classes_apart() {
    let play_tennis = PlayTennis::new();
    let told = telling_evidence(&play_tennis.schema, &play_tennis.statistic, &play_tennis.model("ml"), 2).unwrap();
    assert_eq!(told.iter().map(|c| c.class.as_str()).collect::<Vec<_>>(), ["No", "Yes"]);
    let best = &told[1].evidence[0];
    assert_eq!((best.variable.as_str(), best.value.to_string().as_str()), ("Outlook", "Overcast"));
    assert_eq!((best.p_given_class, best.p_given_rest, best.score), (Some(4.0 / 9.0), Some(0.0), f64::INFINITY));
    let best = &told[0].evidence[0];
    assert_eq!((best.variable.as_str(), best.value.to_string().as_str()), ("Humidity", "High"));
    assert_close(best.score, 0.8 * (0.8_f64 / (3.0 / 9.0)).ln(), 1e-15);
    assert!(told.iter().all(|class| class.evidence.len() == 2));
}

#[test]
fn the_estimate_is_chosen_when_the_model_is_made_and_leaves_the_statistic_alone() {
    let play_tennis = PlayTennis::new();
    let before = play_tennis.statistic.clone();
    for estimate in [Estimate::MaximumLikelihood, Estimate::default()] {
        let prior = NaiveBayesPrior { estimate, ..NaiveBayesPrior::default() };
        NaiveBayes::new(&play_tennis.schema, &play_tennis.statistic, &prior).unwrap();
    }
    assert_eq!(play_tennis.statistic, before);
}
