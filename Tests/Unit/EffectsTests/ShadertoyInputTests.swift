// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import MediaTestSupport
import PlayheadBuffers
import PlayheadEffects
import PlayheadGL
import Testing

@Suite("Keyboard and cube maps", .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct ShadertoyInputTests {
    /// The faces +x, -x, +y, -y, +z, -z: the upper left texel has the number of the face, the
    /// others are half as bright.
    private static func face(_ number: Int, size: Int = 2) -> PixelBuffer {
        PixelBuffer(format: .rgba, width: size, height: size) { _, bytes, bytesPerRow in
            for y in 0..<size {
                for x in 0..<size {
                    let start = y * bytesPerRow + 4 * x
                    let value = UInt8(20 * (number + 1))
                    bytes[start] = x == 0 && y == 0 ? value : value / 2
                    (bytes[start + 1], bytes[start + 2], bytes[start + 3]) = (0, 0, 255)
                }
            }
        }
    }

    /// Directions to the centre of the upper left texel of each face, by the table of OpenGL's
    /// specification (4.6 core, table 8.19): s and t are both 1/4, so sc and tc are -1/2.
    private static let directions = """
        vec3 upperLeft(int face) {
            if (face == 0) return vec3(1.0, 0.5, 0.5);
            if (face == 1) return vec3(-1.0, 0.5, -0.5);
            if (face == 2) return vec3(-0.5, 1.0, -0.5);
            if (face == 3) return vec3(-0.5, -1.0, 0.5);
            if (face == 4) return vec3(-0.5, 0.5, 1.0);
            return vec3(0.5, 0.5, -1.0);
        }

        """

    private static func number(_ path: String, _ names: [String]) -> Int? {
        names.firstIndex { path.hasSuffix("sky_\($0).png") }
    }

    @Test(arguments: [
        ["px", "nx", "py", "ny", "pz", "nz"], ["posx", "negx", "posy", "negy", "posz", "negz"],
        ["e", "w", "u", "d", "n", "s"], ["east", "west", "up", "down", "north", "south"],
    ])
    func `a channel samples a cube map of six files with a direction`(names: [String]) throws {
        let folder = TemporaryFolder()
        for name in names { try folder.write("", to: "sky_\(name).png") }
        let path = try folder.write(
            """
            #iChannel1 "sky_{}.png"
            #iChannel1::Type "CubeMap"
            #iChannel1::MinFilter "Nearest"
            \(Self.directions)void mainImage(out vec4 color, in vec2 place) {
                color = texture(iChannel1, upperLeft(int(place.x)));
                color.g = iChannelResolution[1].x / 255.0;
            }
            """, to: "sky.glsl")
        let effect = try EffectLibrary.effect(path: path) { file in
            Self.face(try #require(Self.number(file, names)))
        }
        try GraphicsTest.withContext { context in
            let instance = EffectInstance(effect)
            let image = try #require(EffectRig(context).draw(instance, width: 6, height: 1))
            #expect(instance.error == nil)
            #expect((0..<6).map { image[$0, 0].x } == [20, 40, 60, 80, 100, 120])
            #expect(image[0, 0].y == 2)
        }
    }

    @Test func `an ISF file imports a cube map from six files`() throws {
        let names = ["a", "b", "c", "d", "e", "f"]
        let folder = TemporaryFolder()
        for name in names { try folder.write("", to: "sky_\(name).png") }
        let paths = names.map { "\"sky_\($0).png\"" }.joined(separator: ", ")
        let path = try folder.write(
            """
            /*{ "IMPORTED": { "sky": { "TYPE": "cube", "PATH": [\(paths)] } } }*/
            \(Self.directions)void main() {
                gl_FragColor = textureLod(sky, upperLeft(int(gl_FragCoord.x)), 0.0);
            }
            """, to: "sky.fs")
        let effect = try EffectLibrary.effect(path: path) { file in
            Self.face(try #require(Self.number(file, names)))
        }
        try GraphicsTest.withContext { context in
            let image = try #require(
                EffectRig(context).draw(EffectInstance(effect), width: 6, height: 1))
            #expect((0..<6).map { image[$0, 0].x } == [20, 40, 60, 80, 100, 120])
        }
    }

    @Test func `faces that are not squares of one size are refused with the file's name`() throws {
        let names = ["px", "nx", "py", "ny", "pz", "nz"]
        let folder = TemporaryFolder()
        for name in names { try folder.write("", to: "sky_\(name).png") }
        let path = try folder.write(
            "#iChannel0 \"sky_{}.png\"\nvoid mainImage(out vec4 c, vec2 p) {"
                + " c = texture(iChannel0, vec3(p, 1.0)); }", to: "sky.glsl")
        let effect = try EffectLibrary.effect(path: path) { file in
            let number = try #require(Self.number(file, names))
            return Self.face(number, size: number == 3 ? 4 : 2)
        }
        let instance = EffectInstance(effect)
        try GraphicsTest.withContext { context in
            #expect(EffectRig(context).draw(instance) == nil)
        }
        let error = try #require(instance.error)
        #expect("\(error)".contains("'sky_ny.png' has 4 x 4 pixels"))
    }

    @Test(arguments: [
        ("#iChannel0 \"sky.png\"\n#iChannel0::Type \"CubeMap\"\n", 1),
        ("#iChannel0 \"sky_{}.png\"\n", 1), ("\n#iChannel0::Type \"Volume\"\n", 2),
    ])
    func `a cube map without its files is an error with its line`(
        text: String, line: Int
    ) throws {
        let folder = TemporaryFolder()
        let path = try folder.write(
            text + "void mainImage(out vec4 c, vec2 p) { c = texture(iChannel0, vec3(p, 1.0)); }",
            to: "sky.glsl")
        #expect {
            try EffectLibrary.effect(path: path) { _ in Self.face(0) }
        } throws: { error in
            switch error as? EffectError {
            case .unsupported(_, line, _), .inaccessible(_, line, _): true
            default: false
            }
        }
    }

    /// Draws a frame, and returns whether key A is held, was pressed, and is toggled.
    private static func keys(_ rig: EffectRig, _ instance: EffectInstance) throws -> [Bool] {
        let pixel = try #require(rig.draw(instance, width: 1, height: 1))[0, 0]
        return [pixel.x, pixel.y, pixel.z].map { $0 == 255 }
    }

    @Test(arguments: [
        """
        #iChannel0 "keyboard"
        void mainImage(out vec4 color, in vec2 place) {
            for (int row = 0; row < 3; row++) color[row] = texelFetch(iChannel0, ivec2(65, row), 0).x;
        }
        """,
        """
        #iKeyboard
        void mainImage(out vec4 color, in vec2 place) {
            color.rgb = vec3(isKeyDown(Key_A), isKeyPressed(Key_A), isKeyToggled(Key_A));
        }
        """,
    ])
    func `a shader sees held, pressed and toggled keys`(text: String) throws {
        let instance = EffectInstance(try ShadertoyImporter.effect(text: text, path: "keys.glsl"))
        try GraphicsTest.withContext { context in
            let rig = EffectRig(context)
            func expect(_ keys: [Bool]) throws {
                let found = try Self.keys(rig, instance)
                #expect(found == keys)
            }
            try expect([false, false, false])
            let generation = instance.generation
            instance.setKey(65, isDown: true)
            #expect(instance.generation > generation)
            try expect([true, true, true])
            // Held keys that the system repeats are not pressed again.
            instance.setKey(65, isDown: true)
            try expect([true, false, true])
            instance.setKey(65, isDown: false)
            try expect([false, false, true])
            instance.setKey(65, isDown: true)
            instance.setKey(65, isDown: false)
            try expect([false, true, false])
            instance.setKey(65, isDown: true)
            instance.releaseKeys()
            try expect([false, true, true])
            for code in [-1, 256, .max] { instance.setKey(code, isDown: true) }
        }
    }

    @Test func `keys do not redraw an effect that does not read them`() throws {
        let instance = EffectInstance(
            try ISFImporter.effect(text: "/*{}*/ void main() {}", path: "a.fs"))
        let generation = instance.generation
        instance.setKey(65, isDown: true)
        #expect(instance.generation == generation)
    }
}
