// SPDX-License-Identifier: Apache-2.0

/// The uniforms with which other hosts pass time, size, pointer and video to shaders: the uniforms
/// of Shadertoy (which copies of its shaders declare), of GLSL Sandbox and of Bonzomatic.
enum HostUniforms {
    /// The names that Shadertoy declares for every shader.
    static let shadertoy: Set<String> = [
        "iResolution", "iTime", "iGlobalTime", "iTimeDelta", "iFrameRate", "iFrame", "iDate",
        "iMouse",
        "iSampleRate", "iChannelTime", "iChannelResolution", "iChannel0", "iChannel1", "iChannel2",
        "iChannel3",
    ]

    /// Returns the GLSL definition of a uniform that the host sets, or nil for a uniform that users
    /// set.
    static func text(of declaration: UniformScanner.Declaration) -> String? {
        guard let input = declaration.input, !input.isAnnotated else { return nil }
        switch (declaration.name, input.uniformType) {
        case ("time", .float), ("iTime", .float), ("iGlobalTime", .float), ("fGlobalTime", .float):
            return "playheadTIME"
        case ("iTimeDelta", .float), ("fFrameTime", .float): return "playheadTIMEDELTA"
        case ("iFrame", .int): return "playheadFRAMEINDEX"
        case ("iDate", .vec4): return "playheadDATE"
        case ("resolution", .vec2), ("iResolution", .vec2), ("v2Resolution", .vec2):
            return "playheadRENDERSIZE"
        case ("iResolution", .vec3): return "vec3(playheadRENDERSIZE, 1.0)"
        case ("surfaceSize", .vec2): return "vec2(playheadAspect, 1.0)"
        case ("mouse", .vec2): return "playheadMouse"
        case ("iMouse", .vec2): return "(playheadMouse * playheadRENDERSIZE)"
        case ("iMouse", .vec4): return "(playheadMouse * playheadRENDERSIZE).xyxy"
        case ("iChannel0", .sampler2D): return "inputImage"
        default: return nil
        }
    }
}
