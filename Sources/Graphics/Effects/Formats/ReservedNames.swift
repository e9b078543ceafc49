// SPDX-License-Identifier: Apache-2.0

/// Names that every shader is given, which an author's text cannot declare again.
enum ReservedNames {
    /// The variable that fragment shaders write to, unless they declare one of their own.
    static let output = "isfFragColor"

    static let declared: Set<String> = [
        "PLAYHEAD", "RENDERSIZE", "TIME", "TIMEDELTA", "DATE", "FRAMEINDEX", "PASSINDEX",
        "isf_FragNormCoord", "vv_FragNormCoord", "isf_corner", "playheadAspect",
        "playheadOutputSize", "playheadTurns", output,
    ]
}
