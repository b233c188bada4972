//! Everybody gives the same answers: otherwise their time says nothing.

use scenes::Scene;
use versus::queries::{Kind, Settings, ask_all, respondents};

#[test]
fn everybody_agrees() {
    for threads in [1, 2] {
        let settings = Settings { queries: 700, threads, rounds: 2, ..Settings::default() };
        for kind in Kind::ALL {
            for scene in [Scene::Uniform, Scene::Clustered, Scene::Koch] {
                let ranking = ask_all(kind, scene, 2_000, &settings);
                assert!(ranking.all_agree(), "{ranking}");
                assert!(ranking.found > 100, "{ranking}");
                assert_eq!(ranking.csv().lines().count(), respondents(kind).len());
                assert!(ranking.fastest_by_cpu().is_some() && ranking.fastest_by_wall().is_some());
            }
        }
    }
}

#[test]
fn some_are_asked_by_name() {
    let settings = Settings { queries: 50, rounds: 1, rivals: vec!["rstar".to_owned()], ..Settings::default() };
    let ranking = ask_all(Kind::Box, Scene::Uniform, 500, &settings);
    let names: Vec<&str> = ranking.standings.iter().map(|standing| standing.name).collect();
    assert_eq!(names, ["pivotgrid", "rstar"]);
}

#[test]
fn kinds_have_names() {
    for kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    assert!("sphere".parse::<Kind>().is_err());
}
