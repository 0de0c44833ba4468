//! Densities that a user writes, against the families that have a closed form.

use serde_json::Value;

use crate::support::Folder;

fn json(folder: &Folder, command: &str) -> Value {
    folder.run(&format!("estimate {command} --format json")).ok().json()
}

/// The same numbers, to what quadrature promises.
fn same(a: &Value, b: &Value, tolerance: f64) {
    let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} for {b}");
}

#[test]
fn quadrature_finds_what_the_families_know() {
    let folder = Folder::new();
    for (density, family, theirs, ours) in [
        (
            "--density 'r*exp(-r*x)' --range '(0, inf)' --prior 'r ~ Gamma(2, 1)'",
            "--family exponential --prior 'rate ~ Gamma(2, 1)'",
            "rate",
            "r",
        ),
        (
            "--density 'if(x <= θ, 1/θ, 0)' --range '(0, inf)' --prior 'θ ~ U(0, 10)'",
            "--family uniform --prior 'theta ~ U(0, 10)'",
            "theta",
            "θ",
        ),
        ("--density 'normal(x, m, 2²)' --prior 'm ~ N(3, 5²)'", "--family normal --known-sd 2 --prior 'mean ~ N(3, 5²)'", "mean", "m"),
    ] {
        let values = "--values 1.2,0.4,3.1,2.5";
        let (found, known) = (json(&folder, &format!("{values} {density}")), json(&folder, &format!("{values} {family}")));
        let (ours, theirs) = (&found["parameters"][ours], &known["parameters"][theirs]);
        for what in ["mean", "sd"] {
            same(&ours[what], &theirs[what], 1e-7);
        }
        same(&ours["map"], &theirs["map"], 1e-5);
        (0..2).for_each(|end| same(&ours["interval"][end], &theirs["interval"][end], 1e-5));
        same(&found["log_marginal_likelihood"], &known["log_marginal_likelihood"], 1e-8);
        same(&found["predictive"]["mean"], &known["predictive"]["mean"], 1e-4);
        (0..2).for_each(|end| same(&found["predictive"]["interval"][end], &known["predictive"]["interval"][end], 1e-3));
        assert_eq!(found["method"], "adaptive quadrature");
    }
}

/// Whole numbers, a column by its name, inputs, chains, draws and pictures.
#[test]
fn whole_numbers_columns_inputs_and_chains() {
    let folder = Folder::new();
    folder.put("t.csv", "events,hours\n3,1\n8,2\n5,2\n,4\n12,4\n");
    let poisson = "--density 'poisson(events, r*hours)' --whole-numbers --range '[0, inf)' --prior 'r ~ Gamma(2, 1)'";
    let found = json(&folder, &format!("t.csv --column events --given hours {poisson}"));
    // Gamma(2 + 28, 1 + 9).
    same(&found["parameters"]["r"]["mean"], &Value::from(3.0), 1e-7);
    assert_eq!((&found["n"], &found["missing"]), (&Value::from(4), &Value::from(1)));
    let chains = json(&folder, &format!("t.csv --column events --given hours {poisson} --chains 4 --draws 3"));
    same(&chains["parameters"]["r"]["mean"], &Value::from(3.0), 0.02);
    assert_eq!((chains["draws"].as_array().unwrap().len(), &chains["method"]), (3, &"factor slice sampling".into()));
    let of_chains = &chains["sampling"];
    assert_eq!((&of_chains["chains"], &of_chains["seed"]), (&Value::from(4), &Value::from(1)));
    assert!(of_chains["parameters"]["r"]["r_hat"].as_f64().unwrap() < 1.05, "{of_chains}");
    assert!(found["log_marginal_likelihood_error"].as_f64().unwrap() < 1e-6 && found["sampling"].is_null());
    let again = json(&folder, &format!("t.csv --column events --given hours {poisson} --chains 4 --draws 3 --threads 2"));
    assert_eq!(chains, again);
    let command = "estimate --values 1.2,0.4,3.1 --density 'r*exp(-r*x)' --range '(0, inf)' --prior 'r ~ Gamma(2, 1)'";
    folder.run(&format!("{command} --plot p.svg --animate a.svg --against-family normal --against 'NIG(1, 1, 2, 2)'")).ok();
    assert!(folder.text("p.svg").starts_with("<svg") && folder.text("a.svg").contains("n = 3"));
}

#[test]
fn what_is_no_density_is_told_with_its_place() {
    let folder = Folder::new();
    for (command, code, words) in [
        ("--values 1,2 --density 'theta*ex(-x)' --prior 'theta ~ U(0,1)'", 2, "did you mean `exp`?"),
        ("--values 1,2 --density 'theta*exp(-x' --prior 'theta ~ U(0,1)'", 2, "column"),
        ("--values 1,2 --density 'theta*x' --range '(0, 3)' --prior 'theta ~ U(0,1)'", 1, "integrate"),
        ("--values 4,12 --density 'if(x <= t, 1/t, 0)' --range '(0, inf)' --prior 't ~ U(0, 10)'", 1, "x = 12 is impossible"),
        ("--values 4,-1 --density 'r*exp(-r*x)' --range '(0, inf)' --prior 'r ~ Gamma(2, 1)'", 1, "outside the range"),
        ("--values 1 --density 'r*exp(-r*x)' --range '(0, inf)'", 2, "nothing to estimate"),
        ("--values 1 --density 'rate*exp(-scale*x)' --range '(0, inf)' --prior 'rate ~ Gamma(2, 1)'", 2, "no prior for"),
        ("--values 1 --density 'r*exp(-r*x)' --prior 'r ~ Gamma(2, 1)' --range nonsense", 2, "the range"),
        ("--values 1 --density 'r*exp(-r*x)' --family normal", 2, "cannot be used with"),
        ("--values 1 --prior 'r ~ Gamma(2, 1)'", 2, "--family"),
        ("--values 1 --density 'r*exp(-r*x)' --range '(0, inf)' --prior 'r ~ Gamma(2, 1)' --against-density 'r'", 2, "--against"),
        ("--values 1 --family normal --most-minutes 0", 2, "above 0"),
        ("--values 1 --family normal --chains 4", 2, "--density"),
        ("--values 1e308,1e308,-1e308 --family normal --known-sd 1 --prior 'mean ~ N(2, 1)'", 1, "beyond what a double holds"),
        ("--values 1,2 --family normal --plot p.svg --animate p.svg", 2, "the same file"),
        ("--values 1,2 --family poisson --prior 'rate ~ Gamma(1,1)' --against-family normal", 1, "--against 'mean ~"),
    ] {
        folder.run(&format!("estimate {command}")).fails(code, &[words]);
    }
}

/// Two densities, one of them of four parameters, and a Bayes factor with its error; the same on any number of threads.
#[test]
fn densities_are_compared_by_bridge_sampling() {
    let folder = Folder::new();
    folder.put("t.csv", "x,y\n0,1.1\n1,2.9\n2,5.2\n3,7.1\n4,8.8\n");
    let line = "--density 'normal(y, a + b*x, 1)' --prior 'a ~ N(0, 9)' --prior 'b ~ N(0, 9)'";
    let priors = ["c", "d", "f", "g"].map(|name| format!("--against '{name} ~ N(0, 9)'")).join(" ");
    let other = format!("--against-density 'normal(y, c + d*x + f*x² + g*x³, 1)' {priors}");
    let command = format!("t.csv --column y --given x {line} --chains 2 {other}");
    let found = json(&folder, &command);
    let against = &found["against"];
    let error = against["log_bayes_factor_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.1, "{against}");
    // In closed form y ~ N(0, I + 9·XXᵀ) under both (numpy 2.4.6).
    for (of, exact) in [(&found, -9.110655409612663), (against, -14.190428897698013)] {
        let ln = of["log_marginal_likelihood"].as_f64().unwrap();
        assert!((ln - exact).abs() < 4.0 * error, "{ln} for {exact} ± {error}");
    }
    assert_eq!((&found["log_marginal_likelihood_method"], &found["method"]), (&"bridge sampling".into(), &"factor slice sampling".into()));
    assert_eq!(against["density"], "normal(y, c + d*x + f*x² + g*x³, 1)");
    // The same bytes on any number of threads, and in words.
    assert_eq!(found, json(&folder, &format!("{command} --threads 1")));
    let text = folder.run(&format!("estimate t.csv --column y --given x {line} --chains 2 --threads 3")).ok();
    assert!(text.stdout().contains("by bridge sampling"), "{}", text.stdout());
    // The same density under another prior.
    let other = json(&folder, &format!("t.csv --column y --given x {line} --against 'a ~ N(0, 1)' --against 'b ~ N(0, 1)'"));
    assert!(other["against"]["log_bayes_factor"].as_f64().is_some());
}

/// What would take too long is told with its size; a level likelihood has no greatest value; a picture of two parameters moves.
#[test]
fn a_bound_a_level_likelihood_and_frames() {
    let folder = Folder::new();
    let two = "--values 1.2,0.4,3.1 --density 'normal(x, a + b, 1)' --prior 'a ~ N(0, 1)' --prior 'b ~ N(0, 4)'";
    folder.run(&format!("estimate {two} --chains 2 --most-minutes 1e-9")).fails(1, &["evaluations of 3 different rows", "--most-minutes"]);
    let found = json(&folder, &format!("{two} --chains 2"));
    assert!(found["ml"]["a"].is_null() && found["map"]["a"].is_number(), "{found}");
    let normal = "--values 1.2,0.4 --density 'normal(x, m, s²)' --prior 'm ~ N(0, 4)' --prior 's ~ Exp(1)'";
    folder.run(&format!("estimate {normal} --animate a.svg --parameter s")).ok();
    assert!(folder.text("a.svg").contains("n = 2"));
    folder.run(&format!("estimate {normal} --chains 2 --plot p.svg")).ok();
    assert!(folder.text("p.svg").contains("posterior"));
}
