// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Testing

@testable import PlayheadPlayback

/// Outputs whose frames are converted.
@Suite struct ConvertedOutputTests {
    /// A converter that copies frames, counts them, and waits where a test wants it to.
    private final class Copier: FrameConverter {
        let sources = Monitor<[UInt64]>([])
        let isOpen = Monitor(true)

        func convert(_ buffer: PixelBuffer) -> PixelBuffer {
            isOpen.wait { $0 ? true : nil }
            sources.change { $0.append(buffer.identifier) }
            return PixelBuffer(
                format: buffer.format, width: buffer.width, height: buffer.height,
                attachments: buffer.attachments
            ) { plane, bytes, bytesPerRow in
                let source = buffer.planes[plane]
                for row in 0..<source.height {
                    let count = min(bytesPerRow, source.bytesPerRow)
                    bytes.baseAddress?.advanced(by: row * bytesPerRow).copyMemory(
                        from: source.baseAddress + row * source.bytesPerRow, byteCount: count)
                }
            }
        }
    }

    private static func at(_ frame: Int64) -> MediaTime { MediaTime(value: frame, timescale: 30) }

    private static func number(
        _ output: PlayerItemVideoOutput, at time: MediaTime
    ) -> Int? {
        output.copyPixelBuffer(forItemTime: time).flatMap { FrameNumberStrip.read(from: $0.0) }
    }

    @Test func `a frame before the one that was requested last is not converted ahead`() {
        let copier = Copier()
        let frames = ConvertedFrames(copier)
        defer { frames.close() }
        let buffers = (0..<3).map { _ in
            PixelBuffer(
                format: .gray8, width: 2, height: 2, attachments: PixelBufferAttachments()
            ) { _, _, _ in }
        }
        func wait(for buffer: PixelBuffer) {
            copier.sources.wait { $0.contains(buffer.identifier) ? true : nil }
        }
        frames.request { [buffers[1]] }
        wait(for: buffers[1])
        frames.request(isAhead: true) { buffers }
        wait(for: buffers[2])
        frames.request(isAhead: true) { nil }
        #expect(frames.result(of: buffers[1]) != nil)
        #expect(copier.sources.withLock { $0 } == [buffers[1].identifier, buffers[2].identifier])
    }

    @Test func `each frame is converted once, however often it is taken`() {
        let rig = Rig(.silent(), isPlaying: false)
        let copier = Copier()
        let output = PlayerItemVideoOutput(converter: copier)
        rig.item.add(output)
        rig.player.play()
        rig.waitUntil { $0.isRunning }
        var taken: [PixelBuffer] = []
        for frame in 0..<60 {
            rig.clock.advance(to: Self.at(Int64(frame)))
            let time = rig.item.currentTime
            _ = output.waitForPixelBuffer(after: time)
            #expect(output.hasNewPixelBuffer(forItemTime: time))
            for _ in 0..<3 { #expect(Self.number(output, at: time) == frame) }
            #expect(!output.hasNewPixelBuffer(forItemTime: time))
            if let (buffer, displayTime) = output.copyPixelBuffer(forItemTime: time) {
                #expect(displayTime == Self.at(Int64(frame)))
                taken.append(buffer)
            }
        }
        #expect(Set(taken.map(\.identifier)).count == 60)
        let sources = copier.sources.withLock { $0 }
        #expect(Set(sources).count == sources.count && sources.count == 60)
        // The other output has the frames as they were decoded.
        #expect(rig.takeFrame() == 59)
    }

    @Test func `frames that are due next are converted before they are asked for`() throws {
        let rig = Rig(.silent(), isPlaying: false)
        let copier = Copier()
        let output = PlayerItemVideoOutput(converter: copier)
        rig.item.add(output)
        // Complete once the one after it is decoded.
        _ = rig.output.waitForPixelBuffer(after: Self.at(4))
        _ = output.hasNewPixelBuffer(forItemTime: .zero)
        copier.sources.wait { $0.count >= 3 ? true : nil }
        // No conversion is begun any more for those.
        copier.isOpen.change { $0 = false }
        defer { copier.isOpen.change { $0 = true } }
        for frame in 0..<2 {
            #expect(Self.number(output, at: Self.at(Int64(frame))) == frame)
        }
    }

    @Test func `until a frame is converted the one before it stays, without a wait`() throws {
        let rig = Rig(.silent(keyframeInterval: 10), isPlaying: false)
        let copier = Copier()
        let output = PlayerItemVideoOutput(converter: copier)
        rig.item.add(output)
        _ = output.waitForPixelBuffer(after: .zero)
        #expect(Self.number(output, at: .zero) == 0)
        copier.isOpen.change { $0 = false }
        rig.seek(to: Self.at(40))
        #expect(!output.hasNewPixelBuffer(forItemTime: Self.at(40)))
        #expect(Self.number(output, at: Self.at(40)) == 0)
        copier.isOpen.change { $0 = true }
        try eventually("the frame of the seek") {
            output.hasNewPixelBuffer(forItemTime: Self.at(40))
        }
        #expect(Self.number(output, at: Self.at(40)) == 40)
    }

    @Test func `a removed output ends its conversions, and the item plays on`() {
        let rig = Rig(.silent(), isPlaying: false)
        let copier = Copier()
        let output = PlayerItemVideoOutput(converter: copier)
        rig.item.add(output)
        _ = output.waitForPixelBuffer(after: .zero)
        rig.item.remove(output)
        #expect(Self.number(output, at: .zero) == nil)
        #expect(rig.takeFrame() == 0)
        rig.item.add(output)
        _ = output.waitForPixelBuffer(after: .zero)
        #expect(Self.number(output, at: .zero) == 0)
    }
}
