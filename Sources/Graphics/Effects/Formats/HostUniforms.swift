// SPDX-License-Identifier: Apache-2.0

/// Names under which shaders elsewhere are told time, size, pointer and film by uniforms that they
/// declare: Shadertoy's, which copies of its shaders carry, and those of GLSL Sandbox and
/// Bonzomatic.
enum HostUniforms {
    /// Names that Shadertoy declares for every shader.
    static let shadertoy: Set<String> = [
        "iResolution", "iTime", "iGlobalTime", "iTimeDelta", "iFrameRate", "iFrame", "iDate",
        "iMouse",
        "iSampleRate", "iChannelTime", "iChannelResolution", "iChannel0", "iChannel1", "iChannel2",
        "iChannel3",
    ]

    /// What a uniform of a shader with a `main` of its own stands for; nil for one that people set.
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
