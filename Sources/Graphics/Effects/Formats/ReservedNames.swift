// SPDX-License-Identifier: Apache-2.0

/// Names that are declared for every shader and that an author's text cannot declare again.
enum ReservedNames {
    /// The output variable of fragment shaders that do not declare one.
    static let output = "isfFragColor"

    /// The macro in place of `gl_TexCoord`. It is as long, so columns stay the same.
    static let texturePosition = "isfTexCoord"

    static let declared: Set<String> = [
        "PLAYHEAD", "RENDERSIZE", "TIME", "TIMEDELTA", "DATE", "FRAMEINDEX", "PASSINDEX",
        "isf_FragNormCoord", "vv_FragNormCoord", "isf_corner", "playheadAspect",
        "playheadOutputSize", "playheadTurns", output,
    ]
}
