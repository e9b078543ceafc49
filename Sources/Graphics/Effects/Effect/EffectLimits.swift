// SPDX-License-Identifier: Apache-2.0

/// Limits that OpenGL guarantees to effects.
enum EffectLimits {
    /// The number of textures that every fragment shader can read: OpenGL 3.3 core, table 6.51.
    static let textureUnits = 16
}
