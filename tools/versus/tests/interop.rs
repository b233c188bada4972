//! Types of mint, nalgebra and parry go into pivotgrid as they are. (glam's are tested in the library's own `tests/features/interop.rs`.)

use nalgebra::{Point2, Point3, SVector, Vector3};
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use pivotgrid::{Aabb, Bounded, BroadPhase, Pair};

#[test]
fn mint_points_and_vectors_are_corners() {
    let plane = Aabb::new([1.0f32, 2.0], [3.0, 4.0]);
    assert_eq!(Aabb::new(mint::Point2 { x: 1.0, y: 2.0 }, mint::Vector2 { x: 3.0, y: 4.0 }), plane);
    let space = Aabb::new([1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]);
    assert_eq!(Aabb::new(mint::Point3 { x: 1.0, y: 2.0, z: 3.0 }, mint::Vector3 { x: 4.0, y: 5.0, z: 6.0 }), space);
}

#[test]
fn nalgebra_points_and_vectors_are_corners() {
    let plane = Aabb::new([1.0f32, 2.0], [3.0, 4.0]);
    assert_eq!(Aabb::new(Point2::new(1.0, 2.0), SVector::<f32, 2>::new(3.0, 4.0)), plane);
    let space = Aabb::new([1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]);
    assert_eq!(Aabb::new(Point3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 5.0, 6.0)), space);
    assert_eq!(Point3::from(space.min), Point3::new(1.0, 2.0, 3.0));
}

#[test]
fn parry_boxes_give_their_corners() {
    let parry = ParryAabb::new(Vector::new(1.0, 2.0, 3.0), Vector::new(4.0, 5.0, 6.0));
    assert_eq!(Aabb::new(parry.mins, parry.maxs), Aabb::new([1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]));
    assert_eq!(Aabb::around(parry.center(), parry.half_extents()), Aabb::new(parry.mins, parry.maxs));
}

/// A slice of bodies that hold parry's boxes needs no boxes of ours beside it.
#[test]
fn bodies_with_parry_boxes() {
    struct Body(ParryAabb);
    impl Bounded<f32, 3> for Body {
        fn aabb(&self) -> Aabb<f32, 3> {
            Aabb::new(self.0.mins, self.0.maxs)
        }
    }
    let body = |x: f32| Body(ParryAabb::new(Vector::new(x, 0.0, 0.0), Vector::new(x + 1.0, 1.0, 1.0)));
    let pairs = BroadPhase::<f32, 3>::new().detect(&[body(0.0), body(5.0), body(0.5)]).sorted();
    assert_eq!(pairs, [Pair { a: 0, b: 2 }]);
}
