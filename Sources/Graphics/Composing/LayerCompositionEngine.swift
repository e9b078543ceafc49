// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
package import PlayheadEffects
import PlayheadImages
package import PlayheadVideoCompositions

/// An engine whose drawers work without a display. If the composition has a custom compositor, the
/// drawer requests each frame from it. Otherwise the drawer draws the frames itself, as layers.
///
/// - Concurrency: any thread.
package struct LayerCompositionEngine: VideoCompositionEngine {
    private let load: @Sendable (String) throws(EffectError) -> Effect

    /// Creates an engine.
    ///
    /// - Parameter load: Loads an effect by the name of a built-in effect or by its path.
    package init(load: @escaping @Sendable (String) throws(EffectError) -> Effect) {
        self.load = load
    }

    package func makeDrawer(
        for composition: VideoComposition
    ) throws(VideoCompositionError) -> any VideoCompositionDrawer {
        if let makeCompositor = composition.makeCompositor {
            let space = composition.colorSpace
            return try CompositorDrawer(makeCompositor(), composition: composition) {
                Self.upright($0, in: space)
            }
        }
        return HeadlessCompositionDrawer(
            composition, effects: try TransitionEffects(of: composition, load: load))
    }

    package func exchange(
        _ composition: VideoComposition, of drawer: any VideoCompositionDrawer
    ) throws(VideoCompositionError) -> Bool {
        if let makeCompositor = composition.makeCompositor {
            guard let drawer = drawer as? CompositorDrawer else { return false }
            return drawer.canDraw(composition, with: makeCompositor())
        }
        guard let drawer = drawer as? HeadlessCompositionDrawer else { return false }
        drawer.exchange(composition, effects: try TransitionEffects(of: composition, load: load))
        return true
    }

    /// Returns a frame converted to `.rgba`, upright and with straight alpha.
    private static func upright(_ buffer: PixelBuffer, in space: ColorSpace) -> PixelBuffer {
        let size = StillConverter.size(of: buffer)
        return PixelBuffer(
            format: .rgba, width: size.width, height: size.height,
            attachments: PixelBufferAttachments(color: .picture(in: space))
        ) { _, bytes, bytesPerRow in
            guard let base = bytes.baseAddress else { return }
            StillConverter.write(
                buffer, width: size.width, height: size.height, colorSpace: space, into: base,
                bytesPerRow: bytesPerRow)
        }
    }
}
