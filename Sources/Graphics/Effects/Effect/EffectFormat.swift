// SPDX-License-Identifier: Apache-2.0

/// A file format of effects.
public enum EffectFormat: String, Sendable, Hashable, CaseIterable {
    /// Interactive Shader Format, versions 2 and 1: a JSON header, then GLSL.
    case isf
    /// gl-transitions: a function `transition` between two pictures.
    case transition = "gl-transition"
    /// Shadertoy: a function `mainImage`; a folder of tabs for several passes.
    case shadertoy
    /// User shaders of mpv and libplacebo: blocks of `//!` lines, functions `hook`.
    case hook = "mpv"
    /// GLSL with a `main` of its own, told what glslViewer tells: `u_time`, `u_resolution`, …
    case glsl
    /// A LUT: Adobe's `.cube`.
    case cube
}
