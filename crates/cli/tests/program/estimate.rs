//! Estimation from the command line: the lecture's examples, every family, and what is refused.

use serde_json::Value;

use crate::support::{Folder, Outcome, assert_close};

fn folder() -> Folder {
    Folder::new().write("heights.csv", include_bytes!("../../../../examples/heights.csv"))
}

fn json(folder: &Folder, line: &str) -> Value {
    folder.run(&format!("estimate {line} --format json")).ok().json()
}

/// The command of the guide, against scipy 1.17.1: `norm`, and the log density of a multivariate Normal with covariance 49 I + 100 11ᵀ.
#[test]
fn gaussian_mean() {
    let folder = folder();
    let line = "heights.csv --column height --family normal --prior 'mean ~ N(170, 10²)' --known-sd 7";
    let found = json(&folder, line);
    assert_eq!((&found["family"], &found["n"], &found["missing"]), (&"normal-known-sd".into(), &14.into(), &1.into()));
    assert_close(&found["ml"]["mean"], 175.785_714_285_714_28, 1e-12);
    assert_close(&found["map"]["mean"], 175.590_062_111_801_25, 1e-11);
    assert_close(&found["posterior"]["mean"], 175.590_062_111_801_25, 1e-11);
    assert_close(&found["posterior"]["sd"], 1.838_924_281_224_568, 1e-12);
    assert_close(&found["interval"][0], 171.985_836_75, 1e-7);
    assert_close(&found["interval"][1], 179.194_287_47, 1e-7);
    assert_close(&found["log_marginal_likelihood"], -52.333_989_638_480_54, 1e-10);
    assert_close(&found["predictive"]["sd"], (49.0_f64 + 1.838_924_281_224_568 * 1.838_924_281_224_568).sqrt(), 1e-12);
    for same in ["N(170, 10^2)", "N(170, 100)", "N( 170, 1e2 )"] {
        assert_eq!(json(&folder, &line.replace("N(170, 10²)", same))["posterior"], found["posterior"]);
    }
    insta::assert_snapshot!("estimate_gaussian_mean", folder.run(&format!("estimate {line}")).ok().transcript());
}

/// The lecture's uniform [0, θ] with prior U[0, 10]: α and c by hand, as in the tests of the mathematics.
#[test]
fn uniform_theta_with_a_bounded_prior() {
    let folder = Folder::new();
    let line = "--values 4,8,6 --family uniform --prior 'theta ~ U(0, 10)'";
    let found = json(&folder, line);
    let c = 2.0 / (8_f64.powi(-2) - 10_f64.powi(-2));
    assert_close(&found["predictive"]["alpha"], c * (8_f64.powi(-3) - 10_f64.powi(-3)) / 3.0, 1e-14);
    assert_close(&found["posterior"]["mean"], c * (1.0 / 8.0 - 1.0 / 10.0), 1e-12);
    assert_eq!((&found["ml"]["theta"], &found["map"]["theta"]), (&8.0.into(), &8.0.into()));
    assert_close(&found["log_marginal_likelihood"], (0.1 / c).ln(), 1e-12);
    insta::assert_snapshot!("estimate_uniform_theta", folder.run(&format!("estimate {line}")).ok().transcript());
}

#[test]
fn sigma_zero_is_moved_by_nothing_and_no_prior_is_the_sample_mean() {
    let folder = folder();
    let line = "heights.csv --column height --family normal --known-sd 7";
    let certain = json(&folder, &format!("{line} --prior 'mean ~ N(170, 0)'"));
    assert_eq!((&certain["posterior"]["mean"], &certain["posterior"]["sd"]), (&170.0.into(), &0.0.into()));
    assert_eq!(certain["interval"], serde_json::json!([170.0, 170.0]));
    folder.run(&format!("estimate {line} --prior 'mean ~ N(170, 0)'")).ok();
    let flat = json(&folder, line);
    assert_eq!(flat["posterior"]["mean"], flat["ml"]["mean"]);
    assert!(flat["log_marginal_likelihood"].is_null());
    assert_eq!(json(&folder, &format!("{line} --prior 'mean ~ N(0, inf)'"))["posterior"], flat["posterior"]);
}

/// scipy 1.17.1: the t interval of the mean; `linregress` with its t intervals, and the interval of a new observation at 180.
#[test]
fn reference_priors_give_the_intervals_of_least_squares() {
    let folder = folder();
    let normal = json(&folder, "heights.csv -c height -f normal");
    assert_close(&normal["interval"][0], 170.680_483_898_342, 1e-9);
    assert_close(&normal["interval"][1], 180.890_944_673_086_55, 1e-9);
    let line = json(&folder, "heights.csv -c weight --given height -f linear-regression --at height=180");
    assert_close(&line["ml"]["slope[height]"], 1.276_834_347_965_396, 1e-11);
    assert_close(&line["ml"]["intercept"], -152.125_280_358_859_4, 1e-9);
    assert_close(&line["ml"]["variance"], 4.729_352_032_139_586, 1e-9);
    let slope = &line["parameters"]["slope[height]"];
    assert_close(&slope["interval"][0], 1.108_919_900_312_199_2, 1e-9);
    assert_close(&slope["interval"][1], 1.444_748_795_618_593, 1e-9);
    assert_close(&line["predictive"]["mean"], 77.704_902_274_911_89, 1e-9);
    assert_close(&line["predictive"]["interval"][0], 72.245_944_244_019_9, 1e-8);
    assert_close(&line["predictive"]["interval"][1], 83.163_860_305_803_88, 1e-8);
    assert_eq!(line["missing"], 2);
    insta::assert_snapshot!(
        "estimate_regression",
        folder
            .run("estimate heights.csv -c weight --given height -f linear-regression --at height=180 --parameter 'slope[height]'")
            .ok()
            .transcript()
    );
}

/// scipy 1.17.1: the mode by `optimize.minimize`, and the curvature there.
#[test]
fn logistic_regression_by_laplace() {
    let folder = folder();
    let found = json(&folder, "heights.csv -c sport --given height -f logistic --at height=190");
    assert_close(&found["map"]["intercept[yes]"], -9.043_730_044, 1e-4);
    assert_close(&found["map"]["height[yes]"], 0.053_323_284, 1e-6);
    assert_close(&found["parameters"]["height[yes]"]["sd"], 0.043_369_24, 1e-6);
    assert_close(&found["log_marginal_likelihood"], -17.122_750_887, 1e-5);
    assert_eq!(found["method"], "Laplace's approximation");
    let p = &found["predictive"]["probability"];
    assert_close(&p["yes"], 1.0 - p["no"].as_f64().unwrap(), 1e-12);
    insta::assert_snapshot!("estimate_logistic", folder.run("estimate heights.csv -c sport --given height -f logistic").ok().transcript());
}

#[test]
fn every_family_answers_with_numbers_only() {
    let folder = folder().write("counts.csv", "a,b,c\n3,0,2\n1,1,1\n0,4,0\n2,2,5\n");
    let lines = [
        "--values 1,1,0,1 -f bernoulli",
        "heights.csv -c sport -f bernoulli --success yes",
        "--values 3,7,5 -f binomial --trials 10",
        "heights.csv -c sport -f categorical",
        "counts.csv -c a,b,c -f multinomial --prior 'p ~ Dirichlet(1, 2, 1)'",
        "--values 3,0,2,5 -f poisson --prior 'rate ~ Gamma(2, 1)'",
        "--values 0.3,1.2,0.7 -f exponential --prior 'rate ~ Exp(1)'",
        "--values 0,3,1 -f geometric",
        "--values 1.5,2.5,4 -f normal --prior 'mean ~ N(2, variance/4), variance ~ InverseGamma(3, 2)'",
        "heights.csv -c height,weight -f multivariate-normal --prior 'NIW([170, 70], 1, 4, [100, 50])'",
        "heights.csv -c height,weight -f multivariate-normal",
        "--values 1,5,3 -f uniform --prior 'theta ~ Pareto(1, 2)'",
        "--values 1.5,2.5,4 -f log-normal --prior 'NIG(1, 1, 2, 1)'",
        "heights.csv -c weight --given height -f linear-regression --prior 'NIG(0, 0.01, 2, 1)'",
        "heights.csv -c sex --given height,weight -f logistic",
    ];
    for line in lines {
        for more in ["", " --interval-kind highest-density --interval 0.8", " --draws 3"] {
            let outcome = folder.run(&format!("estimate {line}{more}")).ok();
            assert!(!outcome.stdout().contains("NaN") && !outcome.stdout().contains("inf"), "{line}: {}", outcome.stdout());
            let found = json(&folder, &format!("{line}{more}"));
            for field in ["family", "n", "ml", "map", "posterior", "predictive", "interval"] {
                assert!(!found[field].is_null(), "{line}: {field}");
            }
            let [low, high] = [0, 1].map(|i| found["interval"][i].as_f64().unwrap());
            assert!(low <= high, "{line}");
            for parameter in found["parameters"].as_object().unwrap().values() {
                let [low, high] = [0, 1].map(|i| parameter["interval"][i].as_f64().unwrap());
                assert!(parameter["mean"].as_f64().is_none_or(|mean| (low..=high).contains(&mean)), "{line}: {parameter}");
            }
        }
        for picture in ["--plot", "--animate"] {
            folder.run(&format!("estimate {line} {picture} picture.svg")).ok();
            let picture = folder.text("picture.svg");
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n") && !picture.contains("NaN"), "{line}");
        }
    }
}

#[test]
fn models_are_compared_by_the_bayes_factor() {
    let folder = Folder::new();
    // Four of four: P(data) is 1/5 under Beta(1, 1), and 20·21·22·23/(40·41·42·43) under Beta(20, 20).
    let line = "--values 1,1,1,1 -f bernoulli --against 'p ~ Beta(20, 20)'";
    let found = json(&folder, line);
    let second: f64 = 20.0 * 21.0 * 22.0 * 23.0 / (40.0 * 41.0 * 42.0 * 43.0);
    assert_close(&found["against"]["log_bayes_factor"], (0.2 / second).ln(), 1e-12);
    insta::assert_snapshot!("estimate_against", folder.run(&format!("estimate {line}")).ok().transcript());
    let families = json(&folder, "--values 0,3,1,2 -f poisson --prior 'rate ~ Gamma(2, 1)' --against-family geometric");
    assert_eq!(families["against"]["family"], "geometric");
    let improper = folder.run("estimate --values 0,3,1,2 -f poisson --against-family geometric");
    assert_eq!(improper.code, 1);
    assert!(improper.stderr.contains("is improper, and a Bayes factor needs proper ones"), "{}", improper.stderr);
}

#[test]
fn the_same_seed_draws_the_same_on_any_number_of_threads() {
    let folder = folder();
    let line = "estimate heights.csv -c height,weight -f multivariate-normal --draws 4 --format csv --seed 7";
    let one = folder.run(&format!("{line} --threads 1")).ok();
    assert_eq!(one.stdout(), folder.run(&format!("{line} --threads 7")).ok().stdout());
    assert_eq!(one.stdout().lines().count(), 5);
    assert!(one.stdout().starts_with("mean[height],mean[weight],variance[height],\"covariance[height,weight]\",variance[weight]\n"));
    assert_ne!(one.stdout(), folder.run(&line.replace("--seed 7", "--seed 8")).ok().stdout());
}

#[test]
fn an_animation_has_a_frame_for_each_row_and_some_hundred_for_many() {
    let many: String = (0..1000).map(|i| format!("{}\n", i % 7)).collect();
    let folder = folder().write("many.csv", format!("x\n{many}"));
    folder.run("estimate heights.csv -c height -f normal --known-sd 7 --animate few.svg").ok();
    // Without data the flat prior is improper: a frame without a curve.
    assert_eq!(folder.text("few.svg").matches("<animate ").count(), 15);
    folder.run("estimate many.csv -c x -f poisson --animate many.svg").ok();
    let frames = folder.text("many.svg").matches("<animate ").count();
    assert!((60..=101).contains(&frames), "{frames}");
    assert!(folder.text("many.svg").contains("n = 1000"));
}

#[test]
fn tables_may_have_weights_and_come_from_standard_input() {
    let folder = Folder::new().write("weighted.csv", "x,n\n0,3\n1,5\n2,2\n");
    let weighted = json(&folder, "weighted.csv -c x --weight n -f poisson");
    let plain = json(&folder, "--values 0,0,0,1,1,1,1,1,2,2 -f poisson");
    assert_eq!((&weighted["posterior"], &weighted["n"]), (&plain["posterior"], &10.into()));
    let piped = folder.run_with_input("estimate - -c x -f poisson --format json", "x\n0\n?\n3\n").ok().json();
    assert_eq!((&piped["n"], &piped["missing"]), (&2.into(), &1.into()));
}

fn refused(outcome: &Outcome, code: i32, expected: &str) {
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    assert!(outcome.stderr.contains(expected), "`{expected}` is not in: {}", outcome.stderr);
}

#[test]
fn impossible_priors_and_flags_are_wrong_usage_with_the_familys_own_example() {
    let folder = folder();
    for (line, expected) in [
        ("--values 1,0 -f bernoulli --prior 'p ~ Beta(-1, 2)'", "its alpha is -1, and must be zero or more"),
        ("--values 1,0 -f bernoulli --prior 'p ~ Gamma(1, 2)'", "as in --prior 'p ~ Beta(1, 1)'"),
        ("--values 1,0 -f bernoulli --prior 'rate ~ Beta(1, 2)'", "`rate` is no parameter; `p` is"),
        ("--values 1,0 -f bernoulli --prior 'p ~ Beta(1'", "`)` is missing"),
        ("--values 1,0 -f bernoulli --prior 'p ~ U(0, 2)'", "U(0, 1) is the only uniform prior here"),
        ("--values 1,2 -f normal --known-sd 7 --prior 'mean ~ N(170, -1)'", "a variance of -1 is impossible"),
        ("--values 1,2 -f normal --prior 'mean ~ N(170, 100)'", "where that is known give --known-sd"),
        ("--values 1,2 -f normal --known-sd 0", "a standard deviation of 0 is impossible"),
        ("--values 1,2 -f poisson --known-sd 1", "means nothing to the family poisson"),
        ("--values 1,2 -f uniform --prior 'theta ~ U(10, 0)'", "begins at zero or above, and ends above that"),
        ("--values 1,2 -f binomial", "needs the number of trials"),
        ("--values 1,2 -f poisson --interval 1.5", "cannot hold the probability 1.5"),
        ("heights.csv -c height -f linear-regression", "name them with --given"),
        ("heights.csv -c height -f multivariate-normal", "is of several columns"),
        ("--values 1,2 -f gausian", "there is no family `gausian`"),
        ("--values 1,2 -f poisson --plot curve.png", "does not end in .svg"),
        ("--values 1,2 -f poisson --format csv", "say how many with --draws"),
        ("--values 1,2 -f poisson --weight n", "--weight is for tables"),
    ] {
        refused(&folder.run(&format!("estimate {line}")), 2, expected);
    }
}

#[test]
fn data_outside_of_the_support_and_improper_posteriors_are_named() {
    let folder = folder().write("wrong.csv", "x\n3\n11\n").write("words.csv", "x\n3\nfour\n").write("notes.svg", "my notes");
    for (line, expected) in [
        ("wrong.csv -c x -f uniform --prior 'theta ~ U(0, 10)'", "`x`, row 2: 11 is outside of what the likelihood can give"),
        ("--values 3,-1 -f poisson", "row 2: -1 is outside of what the likelihood can give: a whole number from 0 on"),
        ("--values 3,2.5 -f binomial --trials 10", "row 2: 2.5 is outside"),
        ("--values 3,2 -f binomial --trials 2", "row 1: 3 is outside"),
        ("--values 1,0.5 -f bernoulli", "a Bernoulli is 0 or 1"),
        ("--values=-1,2 -f log-normal", "row 1: -1 is outside"),
        ("heights.csv -c sport -f bernoulli", "say which state is a success, as in --success no"),
        ("heights.csv -c sport -f bernoulli --success maybe", "its states are: no, yes"),
        ("words.csv -c x -f poisson", "words.csv:3"),
        ("heights.csv -c heigth -f normal", "did you mean `height`?"),
        ("heights.csv -c weight --given height -f linear-regression --at size=3", "the inputs are: height"),
        ("heights.csv -c height -f normal --parameter sd", "the parameters are: mean, variance"),
        ("--values '' -f normal --known-sd 7", "the posterior is improper"),
        ("--values 3 -f normal", "it needs two numbers that differ"),
        ("--values 3,3,3 -f normal", "it needs two numbers that differ"),
        ("--values 0,0 -f poisson --prior 'rate ~ Gamma(0, 0)'", "the posterior is improper"),
        ("--values 1,1 -f bernoulli --prior 'p ~ Beta(0, 0)'", "it needs a success and a failure"),
        ("--values 3,10 -f uniform --prior 'theta ~ U(0, 10)'", "no interval is left for theta"),
        ("--values 1e200,-1e200 -f normal", "beyond what a double holds"),
        ("--values 3,x -f normal", "the value `x` is not a number"),
        ("--values 3,4 -f poisson --plot notes.svg", "is there already and is no SVG"),
    ] {
        refused(&folder.run(&format!("estimate {line}")), 1, expected);
    }
    assert_eq!(folder.text("notes.svg"), "my notes");
}

#[test]
fn without_data_the_posterior_is_the_prior() {
    let folder = Folder::new();
    let found = json(&folder, "--values '' -f bernoulli --prior 'p ~ Beta(2, 3)'");
    assert_eq!((&found["n"], &found["posterior"]["alpha"], &found["log_marginal_likelihood"]), (&0.into(), &2.0.into(), &0.0.into()));
    assert!(found["ml"]["p"].is_null());
    folder.run("estimate --values '' -f uniform --prior 'theta ~ U(0, 10)'").ok();
}

/// 3 of 10, 1 of 2, none of none and 7 of 9: Beta(1 + 11, 1 + 10).
#[test]
fn trials_may_differ_from_row_to_row() {
    let folder = Folder::new();
    folder.put("t.csv", "heads,tosses\n3,10\n1,2\n0,0\n7,9\n,4\n");
    let found = folder.run("estimate t.csv --column heads --trials tosses --family binomial --format json").ok().json();
    let posterior = &found["posterior"];
    assert_eq!((&posterior["alpha"], &posterior["beta"], &found["missing"]), (&12.0.into(), &11.0.into(), &1.into()));
    assert_eq!(found["predictive"]["trials"], 1.0);
    let text = folder.run("estimate t.csv --column heads --trials tosses --family binomial").ok();
    assert!(text.stdout().contains("binomial of heads of tosses trials: 4 rows"), "{}", text.stdout());
    folder.put("bad.csv", "heads,tosses\n3,2\n");
    folder.run("estimate bad.csv --column heads --trials tosses --family binomial").fails(1, &["row 1: 3 is outside"]);
    folder.run("estimate t.csv --column heads --trials nothing --family binomial").fails(1, &["nothing"]);
    folder.run("estimate --values 1,2 --trials tosses --family binomial").fails(2, &["tosses"]);
    folder.run("estimate --values 1,2 --trials 2.5 --family binomial").fails(2, &["whole number"]);
}

/// The only state of a column is sure, before and after.
#[test]
fn a_category_of_one_state_is_sure() {
    let folder = Folder::new();
    let found = folder.run("estimate --values a,a,a --family categorical --format json").ok().json();
    let only = &found["parameters"]["p[a]"];
    assert_eq!((&only["mean"], &only["sd"], &only["map"]), (&1.0.into(), &0.0.into(), &1.0.into()));
    assert!(only["interval_is_of_draws"].is_null(), "{found}");
    let text = folder.run("estimate --values a,a,a --family categorical").ok();
    assert!(text.stdout().contains("exactly 1") && !text.stdout().contains("none  none"), "{}", text.stdout());
    assert!(!text.stderr.contains("covariances"), "{}", text.stderr);
}

#[test]
fn intervals_of_covariances_say_that_they_are_of_draws() {
    let folder = Folder::new();
    folder.put("t.csv", "a,b\n1,2\n2,1\n3,5\n4,3\n");
    let found = folder.run("estimate t.csv --column a,b --family multivariate-normal --format json").ok();
    let of = |name: &str| found.json()["parameters"][name]["interval_is_of_draws"].clone();
    assert_eq!((of("covariance[a,b]"), of("variance[a]")), (true.into(), Value::Null));
    found.notes(&["10000 draws"]);
}
