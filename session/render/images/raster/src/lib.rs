//! What rasterises SVG for nbduet: resvg behind a few C functions, made to run as WebAssembly in a sandbox of its own.
//! One instance renders one picture and is thrown away, so nothing here frees memory.

use std::cell::RefCell;
use std::sync::Arc;

use resvg::{tiny_skia, usvg};

#[derive(Default)]
struct State {
    fonts: usvg::fontdb::Database,
    tree: Option<usvg::Tree>,
    error: String,
}

thread_local!(static STATE: RefCell<State> = RefCell::new(State::default()));

/// Room for `len` bytes that the caller fills.
#[no_mangle]
pub extern "C" fn room(len: usize) -> *mut u8 {
    Vec::leak(vec![0u8; len]).as_mut_ptr()
}

fn bytes(at: *const u8, len: usize) -> &'static [u8] {
    // SAFETY: the caller passes what `room` gave, which is never freed.
    unsafe { std::slice::from_raw_parts(at, len) }
}

/// Adds the fonts of a TrueType file.
#[no_mangle]
pub extern "C" fn add_font(at: *const u8, len: usize) {
    STATE.with_borrow_mut(|s| s.fonts.load_font_data(bytes(at, len).to_vec()));
}

/// Reads an SVG; 0 when it is one, else there is an error to be had.
#[no_mangle]
pub extern "C" fn parse(at: *const u8, len: usize) -> u32 {
    STATE.with_borrow_mut(|s| {
        let mut fonts = std::mem::take(&mut s.fonts);
        for set in [
            usvg::fontdb::Database::set_serif_family,
            usvg::fontdb::Database::set_sans_serif_family,
            usvg::fontdb::Database::set_cursive_family,
            usvg::fontdb::Database::set_fantasy_family,
        ] {
            set(&mut fonts, "Go");
        }
        fonts.set_monospace_family("Go Mono");
        let options = usvg::Options {
            font_family: "sans-serif".into(),
            fontdb: Arc::new(fonts),
            image_href_resolver: usvg::ImageHrefResolver {
                resolve_data: usvg::ImageHrefResolver::default_data_resolver(),
                // Nothing outside of the picture is read.
                resolve_string: Box::new(|_, _| None),
            },
            ..Default::default()
        };
        match usvg::Tree::from_data(bytes(at, len), &options) {
            Ok(tree) => {
                s.tree = Some(tree);
                0
            }
            Err(err) => {
                s.error = err.to_string();
                1
            }
        }
    })
}

/// The picture's own width, in CSS pixels.
#[no_mangle]
pub extern "C" fn width() -> f32 {
    STATE.with_borrow(|s| s.tree.as_ref().map_or(0.0, |t| t.size().width()))
}

/// The picture's own height, in CSS pixels.
#[no_mangle]
pub extern "C" fn height() -> f32 {
    STATE.with_borrow(|s| s.tree.as_ref().map_or(0.0, |t| t.size().height()))
}

/// Draws the picture on white, `w` by `h` pixels; returns where they are, RGBA line by line, or 0.
#[no_mangle]
pub extern "C" fn render(w: u32, h: u32) -> *const u8 {
    STATE.with_borrow(|s| {
        let (Some(tree), Some(mut map)) = (s.tree.as_ref(), tiny_skia::Pixmap::new(w, h)) else {
            return std::ptr::null();
        };
        map.fill(tiny_skia::Color::WHITE);
        let size = tree.size();
        let scale = tiny_skia::Transform::from_scale(w as f32 / size.width(), h as f32 / size.height());
        resvg::render(tree, scale, &mut map.as_mut());
        map.take().leak().as_ptr()
    })
}

/// What was wrong with the SVG: where the text is. It is UTF-8.
#[no_mangle]
pub extern "C" fn error() -> *const u8 {
    STATE.with_borrow(|s| s.error.as_ptr())
}

/// The length of that text, in bytes.
#[no_mangle]
pub extern "C" fn error_len() -> usize {
    STATE.with_borrow(|s| s.error.len())
}
