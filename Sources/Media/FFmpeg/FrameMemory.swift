// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// Memory of a pool that FFmpeg uses.
///
/// - Ownership: kept by the FFmpeg buffers that refer to it.
/// - Corresponds to: `AVBuffer`.
final class FrameMemory: Sendable {
    private let memory: any PixelBufferMemory

    private init(_ memory: any PixelBufferMemory) { self.memory = memory }

    /// Returns a buffer that keeps `memory`, or nil if there is not enough memory.
    static func reference(
        to memory: any PixelBufferMemory, byteCount: Int
    ) -> UnsafeMutablePointer<AVBufferRef>? {
        let kept = Unmanaged.passRetained(FrameMemory(memory))
        let reference = av_buffer_create(
            memory.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), byteCount,
            { opaque, _ in
                if let opaque { Unmanaged<FrameMemory>.fromOpaque(opaque).release() }
            }, kept.toOpaque(), 0)
        if reference == nil { kept.release() }
        return reference
    }

    /// Returns the memory of a frame's samples if it comes from a pool. A decoder may have copied a
    /// frame's properties to another one with samples elsewhere.
    static func of(_ frame: AVFrame) -> (any PixelBufferMemory)? {
        guard let mark = frame.opaque_ref, let samples = frame.buf.0, frame.buf.1 == nil,
            mark.pointee.data == samples.pointee.data, let opaque = av_buffer_get_opaque(mark)
        else { return nil }
        return Unmanaged<FrameMemory>.fromOpaque(opaque).takeUnretainedValue().memory
    }
}
