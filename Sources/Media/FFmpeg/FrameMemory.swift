// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

/// Memory that FFmpeg uses and that comes from a pool.
///
/// - Ownership: the FFmpeg buffers that refer to the memory retain it.
/// - Corresponds to: `AVBuffer`.
final class FrameMemory: Sendable {
    private let memory: any PixelBufferMemory

    private init(_ memory: any PixelBufferMemory) { self.memory = memory }

    /// Returns a buffer that retains `memory`; nil if there is not enough memory.
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

    /// Returns the memory of a frame's samples, if it comes from a pool. The frame is checked,
    /// because a decoder may have copied its properties to another frame with different samples.
    static func of(_ frame: AVFrame) -> (any PixelBufferMemory)? {
        guard let mark = frame.opaque_ref, let samples = frame.buf.0, frame.buf.1 == nil,
            mark.pointee.data == samples.pointee.data, let opaque = av_buffer_get_opaque(mark)
        else { return nil }
        return Unmanaged<FrameMemory>.fromOpaque(opaque).takeUnretainedValue().memory
    }
}
