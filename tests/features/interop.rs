//! Other crates' types go in as they are. Those of mint, nalgebra and parry are tested in `tools/versus`, which has them anyway.

use glam::{DVec2, DVec3, Vec2, Vec3, Vec3A};
use pivotgrid::{Aabb, BroadPhase, Pair};

#[test]
fn glam_vectors_are_corners() {
    let plane = Aabb::new([1.0f32, 2.0], [3.0, 4.0]);
    assert_eq!(Aabb::new(Vec2::new(1.0, 2.0), Vec2::new(3.0, 4.0)), plane);
    assert_eq!(Aabb::around(Vec2::new(2.0, 3.0), Vec2::ONE), plane);
    assert_eq!(Aabb::new(DVec2::new(1.0, 2.0), DVec2::new(3.0, 4.0)), Aabb::new([1.0f64, 2.0], [3.0, 4.0]));

    let space = Aabb::new([1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]);
    assert_eq!(Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)), space);
    assert_eq!(Aabb::new(Vec3A::new(1.0, 2.0, 3.0), Vec3A::new(4.0, 5.0, 6.0)), space, "without the padding");
    assert_eq!(Aabb::new(DVec3::new(1.0, 2.0, 3.0), DVec3::splat(9.0)), Aabb::new([1.0f64, 2.0, 3.0], [9.0; 3]));
    // Each corner may be of another kind.
    assert_eq!(Aabb::new(Vec3A::new(1.0, 2.0, 3.0), [4.0, 5.0, 6.0]), space);
    assert_eq!(Aabb::new((1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)), space);
}

#[test]
fn glam_takes_corners_back() {
    let aabb = Aabb::new([1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]);
    assert_eq!(Vec3::from(aabb.max) - Vec3::from(aabb.min), Vec3::splat(3.0));
}

#[test]
fn boxes_are_read_where_they_lie() {
    let numbers: Vec<f32> = (0..3).flat_map(|i| [i as f32, 0.0, 0.0, i as f32 + 1.0, 1.0, 1.0]).collect();
    let boxes: &[Aabb<f32, 3>] = bytemuck::cast_slice(&numbers);
    assert_eq!(boxes[2], Aabb::new([2.0, 0.0, 0.0], [3.0, 1.0, 1.0]));
    assert_eq!(boxes.as_ptr().cast(), numbers.as_ptr(), "not a copy");
    let pairs = BroadPhase::<f32, 3>::new().detect(boxes).sorted();
    assert_eq!(pairs, [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }]);

    // The way back, and what does not fit.
    assert_eq!(bytemuck::cast_slice::<_, f32>(boxes), numbers);
    assert!(bytemuck::try_cast_slice::<f32, Aabb<f32, 3>>(&numbers[1..]).is_err());
    let doubles = [0.0f64, 1.0, 2.0, 3.0];
    assert_eq!(bytemuck::cast_slice::<f64, Aabb<f64, 2>>(&doubles), [Aabb::new([0.0, 1.0], [2.0, 3.0])]);
    assert_eq!(<Aabb<f32, 2> as bytemuck::Zeroable>::zeroed(), Aabb::new([0.0f32; 2], [0.0; 2]));
}

/// Any bytes are a box; those that make no sense are the engine's to reject.
#[test]
fn any_bytes_are_a_box() {
    let bytes = [0xffu8; 32];
    let aabb: Aabb<f64, 2> = bytemuck::pod_read_unaligned(&bytes);
    assert_eq!(BroadPhase::<f64, 2>::new().detect(&[aabb]).rejected().len(), 1);
}

#[test]
fn pairs_are_numbers() {
    let pairs = [Pair { a: 1, b: 2 }, Pair { a: 3, b: u32::MAX }];
    assert_eq!(bytemuck::cast_slice::<_, u32>(&pairs), [1, 2, 3, u32::MAX]);
    assert_eq!(bytemuck::cast_slice::<u32, Pair>(&[1, 2, 3, u32::MAX]), pairs);
    assert_eq!(bytemuck::bytes_of(&pairs[0]).len(), 8);
}
