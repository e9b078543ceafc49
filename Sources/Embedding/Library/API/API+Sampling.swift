// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadConversion
import PlayheadGL
import PlayheadTextures
import Synchronization

@c @implementation
public func playhead_get_sampling(
    _ player: OpaquePointer?, _ lease: UInt64, _ sampling: UnsafeMutablePointer<playhead_sampling>?
) -> playhead_status {
    Call.player(player) { player in
        let sampling = try Argument.out(sampling, "sampling")
        guard let buffer = player.control.withLock({ $0.frames[lease] }) else {
            throw CallFailure.argument(
                "lease \(lease) is not a mapped frame; call playhead_map_frame first")
        }
        sampling.pointee = try playhead_sampling(buffer, size: sampling.pointee.struct_size)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_sampling_source() -> UnsafePointer<CChar>? { UnsafePointer(Names.sampling) }

extension playhead_sampling {
    init(_ buffer: PixelBuffer, size: UInt32) throws {
        let layout: PictureLayout
        do {
            layout = try PictureLayout(buffer.format)
        } catch {
            throw CallFailure(PLAYHEAD_UNSUPPORTED, error.description)
        }
        let color = buffer.color
        let conversion = YCbCrConversion(format: buffer.format, color: color)
        guard conversion.stage == .none else {
            throw CallFailure(
                PLAYHEAD_UNSUPPORTED,
                "no matrix converts this colour space; use playhead_render or "
                    + "playhead_acquire_texture")
        }
        self.init()
        struct_size = size
        view_count = UInt32(layout.views.count)
        withUnsafeMutableBytes(of: &views) { bytes in
            let views = bytes.bindMemory(to: playhead_view.self)
            for (index, view) in layout.views.enumerated() {
                views[index] = playhead_view(view, of: buffer)
            }
        }
        color_view_count = Int32(layout.colorViewCount)
        if layout.hasAlphaView, let alpha = buffer.format.components.last {
            let isLow = alpha.shift == 0 && !buffer.format.isFloat && (9..<16).contains(alpha.depth)
            has_alpha_view = isLow ? Int32(alpha.depth) : 1
        }
        let columns = [conversion.first, conversion.second, conversion.third]
        withUnsafeMutableBytes(of: &matrix) { bytes in
            let numbers = bytes.bindMemory(to: Float.self)
            for (index, column) in columns.enumerated() {
                for row in 0..<3 { numbers[3 * index + row] = Float(column[row]) }
            }
        }
        offset = (
            Float(conversion.offset.x), Float(conversion.offset.y), Float(conversion.offset.z)
        )
        let siting = ChromaSiting(
            format: buffer.format, width: buffer.width, height: buffer.height,
            location: color.chromaLocation
        ).transform
        chroma = (siting.x, siting.y, siting.z, siting.w)
    }
}

extension playhead_view {
    fileprivate init(_ view: PictureLayout.View, of buffer: PixelBuffer) {
        let size = view.size(width: buffer.width, height: buffer.height)
        self.init(
            plane: Int32(view.plane), width: Int32(size.width), height: Int32(size.height),
            bytes_per_texel: Int32(view.format.bytesPerTexel),
            internal_format: view.format.internalFormatCode, format: view.format.formatCode,
            type: view.format.typeCode,
            swizzle: (
                view.swizzle.red.code, view.swizzle.green.code, view.swizzle.blue.code,
                view.swizzle.alpha.code
            ))
    }
}
