// SPDX-License-Identifier: Apache-2.0

/// A file format of effects.
public enum EffectFormat: String, Sendable, Hashable, CaseIterable {
    /// Interactive Shader Format, versions 2 and 1: a JSON header, then GLSL.
    case isf
    /// gl-transitions: a function `transition` between two images.
    case transition = "gl-transition"
    /// Shadertoy: a function `mainImage`, or a folder with one file for each tab.
    case shadertoy
    /// User shaders of mpv and libplacebo: blocks that begin with `//!` lines and define a function
    /// `hook`.
    case hook = "mpv"
    /// GLSL with its own `main` and the uniforms of glslViewer: `u_time`, `u_resolution`, …
    case glsl
    /// A LUT: Adobe's `.cube`.
    case cube
}
