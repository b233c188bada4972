//! Given classes, and queries against brute force.

use super::queries::{center, squared_distance};
use super::*;
use crate::check::{Noise, agrees_through_changes};
use crate::{Bounds, Entry};

#[test]
fn given_classes_agree_as_well() {
    let entry = |name, make| Entry { paper: "pouchol", name, parallel: false, make };
    let variants: [Entry<3>; 4] = [
        entry("multilevel hashing", || Box::new(MultilevelHashing::with_classes(0.5, &[2, 5]))),
        entry("hierarchical hashing", || Box::new(HierarchicalHashing::with_classes(0.5, &[2, 5]))),
        entry("hierarchical hashing of one class", || Box::new(HierarchicalHashing::with_classes(3.0, &[]))),
        entry("uniform hashing", || Box::new(UniformHashing::with_cell_size(3.0))),
    ];
    variants.iter().for_each(agrees_through_changes);
}

fn structures<const D: usize>() -> Vec<(&'static str, Box<dyn Queries<D>>)> {
    vec![
        ("multilevel", Box::new(MultilevelHashing::new())),
        ("multilevel, given classes", Box::new(MultilevelHashing::with_classes(1.5, &[1, 4]))),
        ("hierarchical", Box::new(HierarchicalHashing::new())),
        ("hierarchical, given classes", Box::new(HierarchicalHashing::with_classes(1.5, &[1, 4]))),
        ("kd tree", Box::new(KdTree::new())),
        ("uniform", Box::new(UniformHashing::new())),
        ("uniform, given cells", Box::new(UniformHashing::with_cell_size(1.5))),
    ]
}

fn check_queries<const D: usize>(boxes: &[Bounds<D>], radii: &[f32]) {
    let mut noise = Noise::new(21);
    let queries: Vec<Bounds<D>> = noise.boxes(150, 90.0, 0.0..4.0);
    for (name, mut structure) in structures::<D>() {
        // Twice, so that the second time there is something to forget.
        for boxes in [&boxes[..boxes.len() / 2], boxes] {
            structure.build(boxes);
            let check = |ask: &dyn Fn(&mut Vec<u32>), is_right: &dyn Fn(&Bounds<D>) -> bool| {
                let mut found = Vec::new();
                ask(&mut found);
                found.sort_unstable();
                let expected: Vec<u32> =
                    (0..).zip(boxes).filter(|(_, bounds)| is_right(bounds)).map(|(object, _)| object).collect();
                assert_eq!(found, expected, "{name}");
            };
            for Bounds { min: from, max: to } in &queries {
                let moved = path(*to, *from);
                check(&|found| structure.overlapping(boxes, &moved, found), &|bounds| bounds.overlaps(&moved));
                for &radius in radii {
                    let near = |bounds: &Bounds<D>| squared_distance(center(bounds), *from) <= radius * radius;
                    check(&|found| structure.within(boxes, *from, radius, found), &near);
                }
            }
        }
    }
}

#[test]
fn queries_find_what_brute_force_finds() {
    let mut noise = Noise::new(20);
    let mut three_sizes = noise.boxes::<2>(50, 80.0, 10.0..30.0);
    three_sizes.extend(noise.boxes::<2>(200, 80.0, 2.0..5.0));
    three_sizes.extend(noise.boxes::<2>(600, 80.0, 0.2..0.5));
    check_queries(&three_sizes, &[0.0, 1.5, 7.0]);
    check_queries(&noise.boxes::<3>(700, 80.0, 0.3..12.0), &[1.5, 9.0]);
}

#[test]
fn queries_find_points() {
    let points = Noise::new(22).boxes::<2>(2000, 80.0, 0.0..0.0);
    let mut structure = HierarchicalHashing::with_classes(1.5, &[2, 4]);
    structure.build(&points);
    for point in &points[..200] {
        let mut found = Vec::new();
        structure.within(&points, point.min, 1.5, &mut found);
        let near = |other: &&Bounds<2>| squared_distance(point.min, other.min) <= 1.5 * 1.5;
        assert_eq!(found.len(), points.iter().filter(near).count());
    }
}

#[test]
fn nothing_is_found_in_nothing() {
    for (name, mut structure) in structures::<2>() {
        structure.build(&[]);
        let mut found = Vec::new();
        structure.overlapping(&[], &path([0.0, 0.0], [1.0, 1.0]), &mut found);
        structure.within(&[], [0.0, 0.0], 1.0, &mut found);
        assert!(found.is_empty(), "{name}");
    }
}
