//! Every system of every roster against brute force, through changes that the papers do not think of.

use crate::check::{agrees_on_boxes_that_are_not_finite, agrees_through_changes, on_several_threads};
use crate::{Entry, roster_2d, roster_3d};

fn through_changes<const D: usize>(roster: &[Entry<D>]) {
    for entry in roster {
        if entry.parallel {
            on_several_threads(|| agrees_through_changes(entry));
        } else {
            agrees_through_changes(entry);
        }
    }
}

#[test]
fn in_the_plane_all_agree_through_all_changes() {
    through_changes(&roster_2d());
}

#[test]
fn in_space_all_agree_through_all_changes() {
    through_changes(&roster_3d());
}

#[test]
fn all_agree_on_boxes_that_are_not_finite() {
    roster_2d().iter().for_each(agrees_on_boxes_that_are_not_finite);
    roster_3d().iter().for_each(agrees_on_boxes_that_are_not_finite);
}
