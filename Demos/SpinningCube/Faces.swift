// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import PlayheadUI

/// Six videos, or one video with six effects. Playhead draws them into a texture of the game, as
/// two rows of three faces.
struct Faces: Sendable {
    /// The size of a face, in pixels.
    private static let size = 384
    static let width = 3 * size
    static let height = 2 * size
    /// The effects that are used if one video is on all faces. The backdrop of each face has its
    /// own colour.
    private static let effects = [nil, "edges", "kaleidoscope", "bloom", nil, "pixelate"]
    private static let colors: [SIMD4<Float>] = [
        [0.10, 0.42, 0.62, 1], [0.62, 0.22, 0.34, 1], [0.50, 0.36, 0.10, 1],
        [0.30, 0.22, 0.60, 1], [0.10, 0.48, 0.40, 1], [0.55, 0.26, 0.12, 1],
    ]

    let scene: Scene

    /// Creates the faces.
    ///
    /// - Parameter films: the outputs of the videos. If there are fewer than six, they repeat.
    @MainActor init(_ films: [PlayerVideoOutput]) throws(EffectError) {
        var layers: [Layer] = []
        for index in 0..<6 {
            let place = LayerRect(
                x: Double(index % 3) / 3, y: Double(index / 3) / 2, width: 1.0 / 3, height: 0.5)
            var film = Layer(.video(films[index % films.count]), gravity: .resizeAspectFill)
            var face = Layer(frame: .fraction(place), sublayers: [])
            if films.count == 1 {
                film.effects = [try DemoEffects.chromaKey()]
                let room = Layer(.generator(try DemoEffects.backdrop(Self.colors[index])))
                face.sublayers.append(room)
                if let name = Self.effects[index] {
                    // The effect is applied to both layers as one image.
                    face.effects = [EffectInstance(try EffectLibrary.load(name))]
                }
            }
            face.sublayers.append(film)
            layers.append(face)
        }
        scene = Scene(layers: layers)
    }
}
