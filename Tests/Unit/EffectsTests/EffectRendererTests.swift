// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import PlayheadTextures
import PlayheadTime
import Testing

@Suite("Effect rendering", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct EffectRendererTests {
    private static func instance(_ text: String) throws -> EffectInstance {
        EffectInstance(try ISFImporter.effect(text: text, path: "test.fs"))
    }

    /// Two channels: a waveform that rises from −1 to 1 over the requested samples, and falls; a
    /// spectrum with one frequency in each.
    private final class Sound: AudioPictureSource {
        var channelCount: Int { 2 }

        func copyWaveform(
            into samples: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
        ) -> Bool {
            for index in samples.indices {
                let value = 2 * Float(index) / Float(samples.count - 1) - 1
                samples[index] = channel == 0 ? value : -value
            }
            return itemTime.seconds == 2
        }

        func copySpectrum(
            into bins: UnsafeMutableBufferPointer<Float>, channel: Int?, at itemTime: MediaTime
        ) -> Bool {
            for index in bins.indices { bins[index] = index == 1 + (channel ?? 0) ? 0.75 : 0 }
            return itemTime.seconds == 2
        }
    }

    @Test
    func `audio inputs show the audio of the frame's time, one row for each channel`() throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [
                { "NAME": "wave", "TYPE": "audio", "MAX": 8 },
                { "NAME": "fft", "TYPE": "audioFFT", "MAX": 4 } ] }*/
            bool near(float a, float b) { return abs(a - b) < 0.002; }
            void main() {
                float first = IMG_NORM_PIXEL(wave, vec2(1.0 / 16.0, 0.25)).r;
                float last = IMG_NORM_PIXEL(wave, vec2(15.0 / 16.0, 0.25)).g;
                float other = IMG_NORM_PIXEL(wave, vec2(15.0 / 16.0, 0.75)).b;
                float low = IMG_NORM_PIXEL(fft, vec2(3.0 / 8.0, 0.25)).r;
                float high = IMG_NORM_PIXEL(fft, vec2(5.0 / 8.0, 0.75)).r;
                bool isThere = near(first, 0.0) && near(last, 1.0) && near(other, 0.0)
                    && near(low, 0.75) && near(high, 0.75) && IMG_SIZE(wave) == vec2(8.0, 2.0);
                bool isSilent = near(first, 0.5) && near(last, 0.5) && near(low, 0.0);
                gl_FragColor = vec4(isThere, isSilent, 0.0, 1.0);
            }
            """)
        #expect(instance.hearsSound)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            #expect(rig.draw(instance, seconds: 2)?[0, 0] == [0, 255, 0, 255])
            instance.sound = Sound()
            #expect(rig.draw(instance, seconds: 2)?[0, 0] == [255, 0, 0, 255])
            #expect(rig.renderer.isTimeDependent(instance))
            // Without audio there is silence, not the last audio.
            #expect(rig.draw(instance, seconds: 9)?[0, 0] == [0, 255, 0, 255])
        }
    }

    @Test func `uniforms of every type are set`() throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [
                { "NAME": "go", "TYPE": "event" }, { "NAME": "on", "TYPE": "bool" },
                { "NAME": "mode", "TYPE": "long", "VALUES": [0, 3] },
                { "NAME": "amount", "TYPE": "float" }, { "NAME": "place", "TYPE": "point2D" },
                { "NAME": "tint", "TYPE": "color" } ] }*/
            void main() {
                bool isRight = go && on && mode == 3 && amount == 0.5 && place == vec2(1.0, 2.0)
                    && tint == vec4(0.0, 1.0, 0.5, 1.0) && RENDERSIZE == vec2(4.0, 2.0)
                    && TIME == 7.0 && PASSINDEX == 0 && FRAMEINDEX == 0;
                gl_FragColor = isRight ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);
            }
            """)
        try instance.set(.event, for: "go")
        try instance.set(.bool(true), for: "on")
        try instance.set(.long(3), for: "mode")
        try instance.set(.float(0.5), for: "amount")
        try instance.set(.point2D([1, 2]), for: "place")
        try instance.set(.color([0, 1, 0.5, 1]), for: "tint")
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            #expect(rig.draw(instance, seconds: 7)?[0, 0] == [0, 255, 0, 255])
            // An event is true for one frame.
            #expect(rig.draw(instance, seconds: 7)?[0, 0] == [255, 0, 0, 255])
        }
    }

    @Test func `all ISF functions read images upright`() throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" },
                           { "NAME": "other", "TYPE": "image" }] }*/
            void main() {
                vec4 a = IMG_THIS_PIXEL(inputImage);
                vec4 b = IMG_THIS_NORM_PIXEL(inputImage);
                vec4 c = IMG_NORM_PIXEL(inputImage, isf_FragNormCoord);
                vec4 d = IMG_PIXEL(inputImage, gl_FragCoord.xy);
                vec4 e = IMG_NORM_PIXEL(inputImage, isf_FragNormCoord, 0.0);
                vec4 f = IMG_PIXEL(inputImage, gl_FragCoord.xy, -1.0);
                bool same = a == b && b == c && c == d && IMG_SIZE(inputImage) == vec2(2.0, 2.0)
                    && d == e && e == f;
                gl_FragColor = vec4(same ? a.r : 0.0, IMG_THIS_PIXEL(other).g, 0.0, 1.0);
            }
            """)
        let other = PixelBuffer(format: .gray8, width: 2, height: 2) { _, bytes, bytesPerRow in
            for y in 0..<2 {
                for x in 0..<2 { bytes[y * bytesPerRow + x] = UInt8(100 * y + 50 * x) }
            }
        }
        try instance.set(.image(other), for: "other")
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            let input = try GLTexture(format: .rgba8, width: 2, height: 2, context: context)
            // Bottom row first, as in OpenGL.
            let texels: [UInt8] = [
                10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255, 40, 0, 0, 255,
            ]
            texels.withUnsafeBytes { input.upload($0.baseAddress!, bytesPerRow: 8) }
            let image = try #require(rig.draw(instance, input: input, width: 2, height: 2))
            #expect(
                [image[0, 0].x, image[1, 0].x, image[0, 1].x, image[1, 1].x] == [30, 40, 10, 20])
            #expect(
                [image[0, 0].y, image[1, 0].y, image[0, 1].y, image[1, 1].y] == [0, 50, 100, 150])
        }
    }

    @Test func `rectangle textures are sampled in pixels`() throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }] }*/
            void main() { gl_FragColor = texture2DRect(inputImage, vec2(1.5, 0.5)); }
            """)
        try GraphicsTest.withContext { context in
            let input = try GLTexture(format: .rgba8, width: 2, height: 1, context: context)
            [40, 0, 0, 255, 80, 0, 0, 255 as UInt8].withUnsafeBytes {
                input.upload($0.baseAddress!, bytesPerRow: 8)
            }
            #expect(EffectRig(context).draw(instance, input: input)?[1, 1] == [80, 0, 0, 255])
        }
    }

    @Test(arguments: [
        "vec4 get(sampler2D inputImage) { return IMG_THIS_PIXEL(inputImage); }",
        "#define get(inputImage) IMG_THIS_PIXEL(inputImage)",
    ])
    func `a parameter with the name of the image hides it`(definition: String) throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" },
                           { "NAME": "mask", "TYPE": "image" }] }*/
            \(definition)
            void main() { gl_FragColor = vec4(get(mask).r, IMG_THIS_PIXEL(inputImage).r, 0.0, 1.0); }
            """)
        let mask = PixelBuffer(format: .gray8, width: 1, height: 1) { _, bytes, _ in bytes[0] = 90 }
        try instance.set(.image(mask), for: "mask")
        try GraphicsTest.withContext { context in
            let input = try GLTexture(format: .rgba8, width: 1, height: 1, context: context)
            [40, 0, 0, 255 as UInt8].withUnsafeBytes {
                input.upload($0.baseAddress!, bytesPerRow: 4)
            }
            #expect(EffectRig(context).draw(instance, input: input)?[1, 1] == [90, 40, 0, 255])
        }
    }

    @Test(arguments: [
        "/*\n#extension GL_FOO_bar : require\n*/", "// x\n//#extension GL_FOO_bar : require",
        "#ifdef NEVER\n#extension GL_FOO_bar : require\n#endif",
        "#ifdef NEVER\n#ifdef GL_ES\n#extension GL_FOO_bar : require\n#endif\n#else\n"
            + "#extension GL_ARB_shading_language_packing : enable\n#endif",
        "#define OWN\n#ifndef OWN\n#extension GL_FOO_bar : require\n#endif",
        "#define OWN 1\n#undef OWN\n#ifdef OWN\n#extension GL_FOO_bar : require\n#endif",
        "#define LEVEL \\\n    3\n#if LEVEL < 3 || \\\n    LEVEL > 3\n"
            + "#extension GL_FOO_bar : require\n#endif",
        "#ifndef PLAYHEAD\n#extension GL_FOO_bar : require\n#endif",
    ])
    func `extensions are enabled where the compiler would, and not in comments`(text: String) throws
    {
        let instance = try Self.instance(
            "/*{}*/\n\(text)\nvoid main() { gl_FragColor = vec4(1.0); }")
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance)?[1, 1] == [255, 255, 255, 255])
        }
    }

    @Test(arguments: [
        "#define OWN\n#ifdef OWN\n#extension GL_FOO_bar : require\n#endif",
        "#define ONE 1\n#define OWN(x) (x + ONE)\n#if OWN(1) == 2\n"
            + "#extension GL_FOO_bar : require\n#endif",
        "#ifdef PLAYHEAD\n#extension GL_FOO_bar : require\n#endif",
    ])
    func `an extension in a condition on a macro is enabled where the compiler would`(text: String)
        throws
    {
        let instance = try Self.instance(
            "/*{}*/\n\(text)\nvoid main() { gl_FragColor = vec4(1.0); }")
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance) == nil)
            guard case .compilation(_, let diagnostics) = instance.error else {
                Issue.record("\(String(describing: instance.error))")
                return
            }
            let line = text.split(separator: "\n").firstIndex { $0.contains("GL_FOO") }
            #expect(diagnostics.first { !$0.isWarning }?.line == line.map { $0 + 2 })
        }
    }

    @Test(arguments: [
        "#ifndef LIBRARY\n#define LIBRARY\n\(enabled)float one() { return 1.0; }\n#endif",
        "#define ONE 0.5\n\(enabled)#undef ONE\n#define ONE 1.0\nfloat one() { return ONE; }",
        "#ifdef LATER\n#endif\n\(enabled)#ifndef ONE\n#define ONE(x) \\\n  x\n#endif\n"
            + "float one() { return ONE(1.0); }",
        "#define texture2D texture\n\(enabled)float one() { return 1.0; }",
        "#ifdef GL_ES\n#define GL_own\n#endif\n\(enabled)float one() { return 1.0; }",
    ])
    func `macros before an extension have the same value after it`(text: String) throws {
        let instance = try Self.instance(
            "/*{}*/\n\(text)\nvoid main() { gl_FragColor = vec4(one()); }")
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance)?[1, 1] == [255, 255, 255, 255])
        }
    }

    private static let enabled = "#extension GL_ARB_shading_language_packing : enable\n"

    @Test func `a persistent float buffer feeds back and is scaled when resized`() throws {
        let instance = try Self.instance(
            """
            /*{ "PASSES": [
                { "TARGET": "sum", "PERSISTENT": true, "FLOAT": true, "WIDTH": "$WIDTH / 2" },
                {} ] }*/
            void main() {
                if (PASSINDEX == 0) gl_FragColor = IMG_THIS_PIXEL(sum) + vec4(1.0 / 255.0);
                else gl_FragColor = IMG_THIS_PIXEL(sum);
            }
            """)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for frame in 1...5 {
                #expect(rig.draw(instance)?[3, 1].x == UInt8(frame))
            }
            #expect(rig.draw(instance, width: 16, height: 8)?[15, 7].x == 6)
            #expect(rig.renderer.isTimeDependent(instance))
            instance.reset()
            #expect(rig.draw(instance, width: 16, height: 8)?[15, 7].x == 7)
            let generation = instance.generation
            instance.restart()
            #expect(instance.generation > generation)
            #expect(rig.draw(instance, width: 16, height: 8)?[15, 7].x == 1)
            #expect(rig.draw(instance, width: 16, height: 8)?[15, 7].x == 2)
        }
    }

    @Test func `float buffers keep values beyond 0 to 1 when resized, in alpha too`() throws {
        let instance = try Self.instance(
            """
            /*{ "PASSES": [
                { "TARGET": "kept", "PERSISTENT": true, "FLOAT": true, "WIDTH": "$WIDTH / 2" },
                {} ] }*/
            void main() {
                if (PASSINDEX == 1) {
                    vec4 kept = IMG_THIS_PIXEL(kept);
                    gl_FragColor = vec4(kept.r / 6.0, kept.g + 2.5, kept.a / 4.0, 1.0);
                } else if (FRAMEINDEX == 0) gl_FragColor = vec4(3.0, -2.0, 0.5, 2.0);
                else gl_FragColor = IMG_THIS_PIXEL(kept);
            }
            """)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for side in [4, 16, 6, 6] {
                let image = try #require(rig.draw(instance, width: side, height: side))
                #expect(image[1, 1] == [128, 128, 128, 255], "\(side)")
            }
        }
    }

    @Test func `discarded pixels are transparent, or unchanged in a persistent pass`() throws {
        let kept = try Self.instance(
            """
            /*{ "PASSES": [ { "TARGET": "kept", "PERSISTENT": true }, {} ] }*/
            void main() {
                if (PASSINDEX == 1) { gl_FragColor = IMG_THIS_PIXEL(kept); return; }
                // A pixel each frame, from the left.
                if (int(gl_FragCoord.x) != FRAMEINDEX) discard;
                gl_FragColor = vec4(float(FRAMEINDEX + 1) / 255.0, 0.0, 0.0, 1.0);
            }
            """)
        let half = try Self.instance(
            """
            /*{}*/
            void main() {
                if (gl_FragCoord.x < 2.0) discard;
                gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0);
            }
            """)
        let full = try Self.instance("/*{}*/ void main() { gl_FragColor = vec4(1.0); }")
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for frame in 0..<4 {
                let image = try #require(rig.draw(kept, width: 4, height: 1))
                let expected = (0..<4).flatMap { x -> [UInt8] in
                    x <= frame ? [UInt8(x + 1), 0, 0, 255] : [0, 0, 0, 0]
                }
                #expect(Array(image.bytes) == expected)
                // The next target contains other pixels.
                _ = rig.draw(full, width: 4, height: 1)
                let other = try #require(rig.draw(half, width: 4, height: 1))
                #expect(
                    Array(other.bytes) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 255, 0, 255, 0, 255])
            }
        }
    }

    @Test func `a pass is skipped while WHEN is 0, and its image is unchanged`() throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "count", "TYPE": "float", "DEFAULT": 0.0 }],
                "PASSES": [
                { "TARGET": "lent", "WHEN": "max(0, $count)" },
                { "TARGET": "kept", "PERSISTENT": true, "WHEN": "max(0, $count)" },
                {} ] }*/
            void main() {
                if (PASSINDEX < 2) gl_FragColor = vec4(count / 255.0);
                else gl_FragColor = vec4(IMG_THIS_PIXEL(lent).r, IMG_THIS_PIXEL(kept).r, 0.0, 1.0);
            }
            """)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for (count, expected) in [(0.0, [0, 0]), (3, [3, 3]), (-1, [0, 3])] {
                try instance.set(.float(Float(count)), for: "count")
                let pixel = try #require(rig.draw(instance)?[1, 1])
                #expect([pixel.x, pixel.y].map(Int.init) == expected)
            }
        }
    }

    @Test(arguments: [false, true])
    func `if the last pass is skipped, the output is its last image or transparent`(
        isPersistent: Bool
    ) throws {
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "on", "TYPE": "float", "DEFAULT": 0.0 }],
                "PASSES": [{ "TARGET": "a", "PERSISTENT": \(isPersistent), "WHEN": "$on" }] }*/
            void main() { gl_FragColor = vec4(on / 255.0); }
            """)
        let other = try Self.instance(
            "/*{}*/\nvoid main() { gl_FragColor = vec4(0.5); }")
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for (on, expected) in [(0.0, 0), (9, 9), (0, isPersistent ? 9 : 0)] {
                // The next framebuffer contains another image.
                #expect(rig.draw(other)?[1, 1].w == 128)
                try instance.set(.float(Float(on)), for: "on")
                let pixel = try #require(rig.draw(instance)?[1, 1])
                #expect([pixel.x, pixel.w].map(Int.init) == [expected, expected])
            }
        }
    }

    @Test func `later passes read earlier ones, each at its own size`() throws {
        let instance = try Self.instance(
            """
            /*{ "PASSES": [{ "TARGET": "one", "WIDTH": "3", "HEIGHT": "5" },
                           { "TARGET": "two", "WIDTH": "$WIDTH*2" }, {}] }*/
            void main() {
                if (PASSINDEX == 0) gl_FragColor = vec4(RENDERSIZE / 255.0, 0.0, 1.0);
                else if (PASSINDEX == 1) gl_FragColor = vec4(IMG_THIS_PIXEL(one).xy, RENDERSIZE / 255.0);
                else gl_FragColor = IMG_THIS_PIXEL(two);
            }
            """)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            #expect(rig.draw(instance)?[1, 1] == [3, 5, 8, 2])
            // Intermediate textures return to the pool.
            _ = rig.draw(instance)
            #expect(rig.pool.count == 3)
        }
    }

    @Test(arguments: [
        ("{ \"TARGET\": \"one\" }, { \"TARGET\": \"big\", \"WIDTH\": \"$WIDTH * 9000\" }", 1),
        ("{ \"TARGET\": \"big\", \"PERSISTENT\": true, \"HEIGHT\": \"40000\" }", 0),
        ("{ \"TARGET\": \"big\", \"WIDTH\": \"9000\", \"HEIGHT\": \"9000\" }", 0),
    ])
    func `a pass with too large an image is reported with its file`(passes: String, index: Int)
        throws
    {
        let instance = try Self.instance(
            "/*{ \"PASSES\": [\(passes), {}] }*/\nvoid main() { gl_FragColor = vec4(1.0); }")
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance) == nil)
            guard case .beyondLimit("test.fs", _, let reason) = instance.error else {
                Issue.record("\(String(describing: instance.error))")
                return
            }
            #expect(reason.contains("pass \(index) ('big')"), "\(reason)")
        }
    }

    @Test func `too large an output is reported for the effect`() throws {
        let instance = try Self.instance("/*{}*/\nvoid main() { gl_FragColor = vec4(1.0); }")
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance, width: 16_384, height: 16_384) == nil)
            guard case .beyondLimit("test.fs", _, let reason) = instance.error else {
                Issue.record("\(String(describing: instance.error))")
                return
            }
            #expect(reason.contains("16384 x 16384"), "\(reason)")
        }
    }

    @Test func `an error has the author's file, line and column, and is reported once`() throws {
        let instance = try Self.instance(
            "/*{\n}*/\n\nvoid main() {\n    gl_FragColor = vec4(nonsense);\n}\n")
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            #expect(rig.draw(instance) == nil)
            #expect(rig.draw(instance) == nil)
            let errors = rig.renderer.takeErrors()
            #expect(errors.count == 1)
            guard case .compilation(_, let diagnostics) = errors.first else {
                Issue.record("no compilation error but \(errors)")
                return
            }
            #expect(diagnostics[0].path == "test.fs")
            #expect(diagnostics[0].line == 5)
            #expect(diagnostics[0].message.contains("nonsense"))
            #expect(instance.error == errors[0])
        }
    }

    @Test(arguments: EffectLibrary.builtInNames)
    func `every built-in effect compiles and draws`(name: String) throws {
        let instance = EffectInstance(try EffectLibrary.effect(named: name))
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            let input = try GLFramebuffer(width: 4, height: 2, context: context)
            #expect(rig.draw(instance, input: input.texture) != nil)
            #expect(rig.renderer.takeErrors().isEmpty)
        }
    }

    @Test func `as many images are read as OpenGL has texture units`() throws {
        let names = (0..<15).map { "picture\($0)" }
        let inputs = names.map { "{ \"NAME\": \"\($0)\", \"TYPE\": \"image\" }" }
        let sum = names.map { "IMG_THIS_PIXEL(\($0))" }.joined(separator: " + ")
        let instance = try Self.instance(
            """
            /*{ "INPUTS": [{ "NAME": "inputImage", "TYPE": "image" }, \(inputs.joined(separator: ", "))] }*/
            void main() {
                gl_FragColor = IMG_THIS_PIXEL(inputImage)
                    + IMG_NORM_PIXEL(inputImage, vec2(0.25)) + \(sum);
            }
            """)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            let input = try GLFramebuffer(width: 4, height: 2, context: context)
            #expect(rig.draw(instance, input: input.texture) != nil)
            #expect(rig.renderer.takeErrors().isEmpty)
        }
    }

    @Test(.enabled(if: Corpus.has("made-here/hostile-shaders"), "\(Corpus.absence)"))
    func `hostile files are refused or drawn without harm`() throws {
        let files = Corpus.files(withExtensions: ["fs"]).filter {
            $0.path.contains("hostile-shaders")
                // These run for ever, which is not for a unit test.
                && !["infinite", "loop_"].contains(where: $0.path.contains)
        }
        #expect(files.count > 15)
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            for file in files {
                guard let effect = try? EffectLibrary.effect(path: file.path) else { continue }
                let instance = EffectInstance(effect)
                if rig.draw(instance) == nil { #expect(instance.error != nil, "\(file.path)") }
            }
            _ = GLState.takeError()
        }
    }
}
