//! What the library answers; the program's own tests have every family.

use super::*;

fn values(of: &[f64]) -> Sample {
    Sample::Values(of.iter().map(f64::to_string).collect())
}

#[test]
fn defaults_are_priors_of_their_families_and_so_are_the_examples() {
    for kind in FamilyKind::ALL {
        let regression = matches!(kind, FamilyKind::LinearRegression | FamilyKind::Logistic);
        let several = matches!(kind, FamilyKind::Multinomial | FamilyKind::MultivariateNormal);
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let sample = Sample::Files {
            paths: Vec::new(),
            read: Box::default(),
            columns: if several { names(&["a", "b"]) } else { names(&["a"]) },
            given: if regression { names(&["x"]) } else { Vec::new() },
        };
        for known_sd in [None, Some(2.0)].into_iter().filter(|sd| sd.is_none() || kind == FamilyKind::Normal) {
            for prior in [None, Some(kind.example(known_sd.is_some()).to_string())] {
                let trials = (kind == FamilyKind::Binomial).then_some(Trials::Each(5));
                let options = EstimateOptions { prior: prior.clone(), known_sd, trials, ..EstimateOptions::of(kind.word()).unwrap() };
                options.check(&sample).unwrap_or_else(|e| panic!("{}: {prior:?}: {e}", kind.word()));
            }
        }
    }
}

#[test]
fn curves_have_one_range_and_an_area_of_one() {
    let options = EstimateOptions { prior: Some("mean ~ N(0, 4)".into()), known_sd: Some(1.0), ..EstimateOptions::of("normal").unwrap() };
    let found = estimate(&values(&[1.0, 2.0, 1.5]), &options).unwrap();
    let area = |curve: &Curve| curve.windows(2).map(|pair| (pair[1][0] - pair[0][0]) * 0.5 * (pair[0][1] + pair[1][1])).sum::<f64>();
    for curve in [&found.curves.prior, &found.curves.likelihood, &found.curves.posterior] {
        assert!((area(curve) - 1.0).abs() < 0.03, "{}", area(curve));
        assert!(curve.first().unwrap()[0] >= found.curves.range[0] && curve.last().unwrap()[0] <= found.curves.range[1] + 1e-9);
    }
}

#[test]
fn the_last_frame_is_the_posterior_and_the_first_the_prior() {
    let options = EstimateOptions { frames: true, ..EstimateOptions::of("bernoulli").unwrap() };
    let found = estimate(&values(&[1.0, 0.0, 1.0]), &options).unwrap();
    assert_eq!(found.frames.iter().map(|frame| frame.n).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(found.frames[3].curve, found.curves.posterior);
    assert_eq!(found.frames[0].curve, found.curves.prior);
}

#[test]
fn frames_of_many_rows_are_some_hundred() {
    assert_eq!(curves::frame_rows(3), [0, 1, 2, 3]);
    for n in [101, 1000, 10_000_000] {
        let rows = curves::frame_rows(n);
        assert!(rows.len() <= 101 && rows[0] == 0 && rows.last() == Some(&n), "{rows:?}");
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]), "{rows:?}");
    }
}

#[test]
fn text_of_any_kind_is_refused_and_never_a_panic() {
    let priors = [
        "",
        "~",
        "p ~",
        "p ~ Beta",
        "p ~ Beta()",
        "Beta(1,2,3)",
        "Beta([1],2)",
        "Beta(p, 2)",
        "Beta(nan, 1)",
        "p ~ Beta(1, 1), p ~ Beta(1, 1)",
        "é",
        "Beta(1e400, 1)",
    ];
    for family in FamilyKind::ALL {
        for prior in priors {
            let options = EstimateOptions { prior: Some(prior.into()), ..EstimateOptions::of(family.word()).unwrap() };
            assert!(estimate(&values(&[1.0, 0.0]), &options).is_err(), "{}: {prior}", family.word());
        }
    }
}
