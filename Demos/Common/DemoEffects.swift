// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

/// The effects of the demos, written in ISF.
public enum DemoEffects {
    /// Returns a generator that draws a room whose back wall is lit, as a background for keyed
    /// video.
    ///
    /// - Parameter tint: the colour of the light.
    public static func backdrop(_ tint: SIMD4<Float>) throws(EffectError) -> EffectInstance {
        let effect = EffectInstance(try Effect(isf: room, path: "room.fs"))
        try effect.set(.color(tint), for: "tint")
        return effect
    }

    /// Returns an effect that shows the frame in shades of one colour.
    public static func monochrome(_ tint: SIMD4<Float>) throws(EffectError) -> EffectInstance {
        let effect = EffectInstance(try Effect(isf: shades, path: "shades.fs"))
        try effect.set(.color(tint), for: "tint")
        return effect
    }

    /// Returns a chroma key with parameters for the built-in clip.
    public static func chromaKey() throws(EffectError) -> EffectInstance {
        let key = EffectInstance(try EffectLibrary.load("chroma_key"))
        try key.set(.float(0.3), for: "tolerance")
        return key
    }

    private static let room = """
        /*{
            "ISFVSN": "2",
            "INPUTS": [{ "NAME": "tint", "TYPE": "color", "DEFAULT": [0.3, 0.4, 0.6, 1.0] }]
        }*/
        void main() {
            vec2 place = isf_FragNormCoord * 2.0 - 1.0;
            float glow = exp(-1.3 * dot(place * vec2(0.8, 1.0), place));
            float floor = smoothstep(-0.45, -0.75, place.y);
            vec3 wall = tint.rgb * mix(0.16, 1.0, glow);
            gl_FragColor = vec4(mix(wall, wall * 0.72, floor), 1.0);
        }
        """

    private static let shades = """
        /*{
            "ISFVSN": "2",
            "INPUTS": [
                { "NAME": "inputImage", "TYPE": "image" },
                { "NAME": "tint", "TYPE": "color", "DEFAULT": [0.3, 0.6, 1.0, 1.0] }
            ]
        }*/
        void main() {
            vec4 source = IMG_THIS_PIXEL(inputImage);
            // BT.709's luma weights; the middle is the colour itself.
            float luma = dot(source.rgb, vec3(0.2126, 0.7152, 0.0722));
            vec3 dark = mix(vec3(0.02), tint.rgb, min(luma * 2.0, 1.0));
            gl_FragColor = vec4(mix(dark, vec3(1.0), max(luma * 2.0 - 1.0, 0.0)), source.a);
        }
        """
}
