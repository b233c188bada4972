//! The plain types survive a round trip through JSON.

use std::fmt::Debug;

use pivotgrid::{Aabb, BoxCast, BroadPhase, Config, ConfigError, Lattice, Neighbors, Pair, Ray, RejectReason, Rejected, Stats};
use serde::Serialize;
use serde::de::DeserializeOwned;

#[track_caller]
fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("it serializes");
    assert_eq!(serde_json::from_str::<T>(&text).expect("it deserializes"), *value, "through {text}");
    text
}

#[test]
fn boxes() {
    assert_eq!(round_trip(&Aabb::new([0.0f32, -1.5], [0.1, 2.0])), r#"{"min":[0.0,-1.5],"max":[0.1,2.0]}"#);
    round_trip(&Aabb::new([0.1f32, 1e-40, -0.0], [f32::MAX, 0.99999994, 1e30]));
    round_trip(&Aabb::new([0.5f64, -2.0, 1e300], [0.75, -1.0, 1.5e300]));
    round_trip(&vec![Aabb::new([0.5f64, -2.0], [0.75, -1.0]); 3]);
    assert!(serde_json::from_str::<Aabb<f32, 3>>(r#"{"min":[0.0,0.0],"max":[1.0,1.0]}"#).is_err(), "2D is not 3D");
}

#[test]
fn rays_and_moving_boxes() {
    round_trip(&BoxCast::new(Aabb::new([0.0f64, -1.5], [0.5, 2.0]), [1.0, -0.0]));
    round_trip(&Ray::segment([0.5f32, 1.0, 2.0], [1.0, 1.0, -2.0]));
    // JSON has no infinite numbers.
    let endless = Ray::new([0.5f32, 1.0], [1.0, 0.0]);
    assert_eq!(round_trip(&endless), r#"{"origin":[0.5,1.0],"direction":[1.0,0.0],"max_t":null}"#);
    let without: Ray<f32, 2> = serde_json::from_str(r#"{"origin":[0.5,1.0],"direction":[1.0,0.0]}"#).expect("a ray");
    assert_eq!(without, endless);
}

/// All that follows from the vectors is computed again, so what is read is a lattice that there can be.
#[test]
fn lattices() {
    let text = round_trip(&Lattice::new([[4.0, 0.0], [1.5, 4.0]], [true, false]).expect("a lattice"));
    assert_eq!(text, r#"{"vectors":[[4.0,0.0],[1.5,4.0]],"periodic":[true,false],"origin":[0.0,0.0]}"#);
    let domain = Aabb::new([-1.0f32, 2.0, 5.0], [3.0, 9.0, 6.5]);
    let of_domain = *Neighbors::<f32, 3>::new().periodic(domain, [true, true, false]).expect("a domain").space();
    round_trip(&of_domain);
    let read = |text: &str| serde_json::from_str::<Lattice<2>>(text);
    assert!(read(r#"{"vectors":[[4.0,0.0],[1.5,4.0]],"periodic":[true,true]}"#).is_ok());
    let parallel = read(r#"{"vectors":[[4.0,0.0],[2.0,0.0]],"periodic":[true,true]}"#).expect_err("parallel vectors");
    assert!(parallel.to_string().contains("vectors"), "{parallel}");
    assert!(read(r#"{"vectors":[[0.0,0.0],[0.0,1.0]],"periodic":[true,false]}"#).is_err(), "no vector");
    assert!(read(r#"{"vectors":[[4.0,0.0],[1.5,4.0]],"periodic":[true]}"#).is_err(), "too short");
}

#[test]
fn pairs_and_rejections() {
    assert_eq!(round_trip(&Pair { a: 3, b: u32::MAX }), r#"{"a":3,"b":4294967295}"#);
    for reason in [RejectReason::NotANumber, RejectReason::Inverted, RejectReason::BeyondIndex] {
        round_trip(&Rejected { index: 17, reason });
    }
    let text = round_trip(&Rejected { index: 17, reason: RejectReason::Inverted });
    assert_eq!(text, r#"{"index":17,"reason":"Inverted"}"#);
}

#[test]
fn configs() {
    round_trip(&Config::default());
    round_trip(&Config::default().cell_size(2.5).max_levels(3).all_pairs_up_to(0).serial_up_to(7));
    // A file may set what it cares about and leave the rest.
    let partial: Config = serde_json::from_str(r#"{"max_levels":2}"#).expect("the rest is the default");
    assert_eq!(partial, Config::default().max_levels(2));
    // Reading does not validate; the engine does.
    let wrong: Config = serde_json::from_str(r#"{"cell_size":-1.0}"#).expect("a number");
    assert_eq!(BroadPhase::<f32, 3>::with_config(wrong).unwrap_err(), ConfigError::CellSize(-1.0));
}

#[test]
fn statistics_of_a_real_step() {
    let boxes: Vec<_> = (0..500).map(|i| Aabb::new([i as f32, 0.0], [i as f32 + 1.0, (i % 7 * i) as f32])).collect();
    let config = Config::default().all_pairs_up_to(0);
    let mut engine = BroadPhase::<f32, 2>::with_config(config).unwrap();
    engine.par_detect(&boxes);
    let stats = engine.stats();
    assert!(stats.pairs >= 499 && !stats.levels.is_empty() && stats.bytes > 0);
    // By value: serde_json reads floats from text to within one unit in the last place only.
    let value = serde_json::to_value(stats).expect("it serializes");
    assert_eq!(value["pairs"], stats.pairs);
    assert_eq!(serde_json::from_value::<Stats>(value).expect("it deserializes"), *stats);
    round_trip(&Stats::default());
}
