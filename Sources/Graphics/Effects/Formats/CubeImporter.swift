// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Makes an effect of a `.cube` file, the format in which grading programs exchange looks: colours are
/// looked up in its table, between entries by tetrahedra.
///
/// - Corresponds to: Adobe's "Cube LUT Specification", version 1.0; FFmpeg's `lut3d`.
enum CubeImporter {
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`.
    static func effect(text: String, path: String) throws(EffectError) -> Effect {
        let table = try CubeTable(text, path: path)
        var amount = EffectInput(name: "amount", kind: .float, defaultValue: .float(1))
        (amount.minimum, amount.maximum) = (.float(0), .float(1))
        (amount.label, amount.identity) = ("Amount", .float(0))
        let packed = Packed(table)
        var effect = Effect(
            name: EffectLibrary.name(ofPath: path), path: path, format: .cube,
            inputs: [EffectInput(name: "inputImage", kind: .image), amount],
            shaders: [[.generated(packed.declarations + shader(table.shape))]])
        effect.summary = table.title.isEmpty ? "A look from a table of colours" : table.title
        effect.categories = ["Colour"]
        effect.importedImages = [
            Effect.ImportedImage(name: "table", path: path, line: 1, picture: packed.picture)
        ]
        return effect
    }

    /// A table as the row of squares that programs exchange tables as: see `lut.fs`. 8 bits a channel.
    ///
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`, `.unsupported` of curves.
    static func squares(text: String, path: String) throws(EffectError) -> PixelBuffer {
        let table = try CubeTable(text, path: path)
        let size = table.size
        guard table.shape == .cube, size <= 64 else {
            throw .unsupported(
                path: path, line: nil,
                reason: "as a picture a table is a cube of at most 64 levels; use it as an effect")
        }
        return PixelBuffer(
            format: .rgba, width: size * size, height: size, attachments: attachments
        ) { _, plane, bytesPerRow in
            for (index, color) in table.colors.enumerated() {
                let (red, green, blue) = (index % size, index / size % size, index / size / size)
                let place = green * bytesPerRow + (blue * size + red) * 4
                for channel in 0..<3 {
                    plane[place + channel] =
                        UInt8((min(max(color[channel], 0), 1) * 255).rounded())
                }
                plane[place + 3] = 255
            }
        }
    }

    private static var attachments: PixelBufferAttachments {
        PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
    }

    /// A table in a picture of 8-bit numbers, each colour in two pixels, so that 16 bits of it are
    /// kept: pictures of effects have 8.
    private struct Packed {
        /// Entries in a row of the picture.
        private static let columns = 1024

        let picture: PixelBuffer
        /// What the shader has to know of it.
        let declarations: String

        init(_ table: CubeTable) {
            let colors = table.colors
            // Numbers beyond 0 to 1 are kept too: what lies between the least and the most of all is
            // divided evenly.
            let least = colors.lazy.flatMap { [$0.x, $0.y, $0.z] }.min() ?? 0
            let most = colors.lazy.flatMap { [$0.x, $0.y, $0.z] }.max() ?? 1
            let low = min(0, least)
            let scale = max(1, most) - low
            let columns = min(Self.columns, colors.count)
            let rows = (colors.count + columns - 1) / columns
            picture = PixelBuffer(
                format: .rgba, width: columns, height: rows * 2,
                attachments: CubeImporter.attachments
            ) { _, plane, bytesPerRow in
                for (index, color) in colors.enumerated() {
                    let place = (index / columns * 2) * bytesPerRow + index % columns * 4
                    for channel in 0..<3 {
                        let value = ((color[channel] - low) / scale * 65_535).rounded()
                        let code = UInt16(min(max(value, 0), 65_535))
                        plane[place + channel] = UInt8(code >> 8)
                        plane[place + bytesPerRow + channel] = UInt8(code & 0xFF)
                    }
                    plane[place + 3] = 255
                    plane[place + bytesPerRow + 3] = 255
                }
            }
            func vector(_ value: SIMD3<Float>) -> String {
                "vec3(\(value.x), \(value.y), \(value.z))"
            }
            declarations = """
                const int size = \(table.size);
                const int columns = \(columns);
                const vec2 span = vec2(\(low), \(scale));
                const vec3 domainMinimum = \(vector(table.domain.minimum));
                const vec3 domainMaximum = \(vector(table.domain.maximum));

                """
        }
    }

    private static func shader(_ shape: CubeTable.Shape) -> String {
        // The picture's rows run upwards in its texture.
        let common = """
            vec3 entry(int index) {
                int top = textureSize(table, 0).y - 1 - index / columns * 2;
                ivec2 place = ivec2(index % columns, top);
                vec3 high = texelFetch(table, place, 0).rgb;
                vec3 low = texelFetch(table, place - ivec2(0, 1), 0).rgb;
                vec3 code = floor(high * 255.0 + 0.5) * 256.0 + floor(low * 255.0 + 0.5);
                return code / 65535.0 * span.y + span.x;
            }

            """
        let lookUp =
            switch shape {
            case .curves:
                """
                vec3 lookUp(vec3 place) {
                    ivec3 below = min(ivec3(place), size - 2);
                    vec3 part = place - vec3(below);
                    return vec3(
                        mix(entry(below.r).r, entry(below.r + 1).r, part.r),
                        mix(entry(below.g).g, entry(below.g + 1).g, part.g),
                        mix(entry(below.b).b, entry(below.b + 1).b, part.b));
                }

                """
            case .cube:
                // Of the six tetrahedra that share the diagonal from black to white, the one that holds the
                // colour: greys are mixed of greys alone, which eight corners would tint.
                """
                vec3 lookUp(vec3 place) {
                    ivec3 below = min(ivec3(place), size - 2);
                    vec3 part = place - vec3(below);
                    ivec3 steps = ivec3(1, size, size * size);
                    int first = below.r + below.g * steps.g + below.b * steps.b;
                    int last = first + steps.r + steps.g + steps.b;
                    float most = max(part.r, max(part.g, part.b));
                    float least = min(part.r, min(part.g, part.b));
                    float middle = part.r + part.g + part.b - most - least;
                    int up = part.r == most ? steps.r : part.g == most ? steps.g : steps.b;
                    int down = part.b == least ? steps.b : part.g == least ? steps.g : steps.r;
                    return entry(first) * (1.0 - most) + entry(first + up) * (most - middle)
                        + entry(last - down) * (middle - least) + entry(last) * least;
                }

                """
            }
        return common + lookUp + """
            void main() {
                vec4 source = IMG_THIS_PIXEL(inputImage);
                vec3 share = (source.rgb - domainMinimum) / (domainMaximum - domainMinimum);
                vec3 color = lookUp(clamp(share, 0.0, 1.0) * float(size - 1));
                gl_FragColor = vec4(mix(source.rgb, color, amount), source.a);
            }

            """
    }
}
