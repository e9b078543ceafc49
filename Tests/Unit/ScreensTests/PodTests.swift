// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadScreens

@Suite("Parameters of PipeWire") struct PodTests {
    private func read(_ bytes: [UInt8]) -> Pod? { bytes.withUnsafeBytes { Pod($0) } }

    private static let pods =
        PipeWireVideo.acceptedFormats(framesPerSecond: 30) + PipeWireVideo.acceptedBuffers
        + PipeWireVideo.offeredBuffers(.init(pixels: .rgbx, width: 640, height: 360))
        + [PipeWireVideo.offeredFormat(.init(pixels: .bgra, width: 3, height: 5))]

    @Test func `a parameter is read as it was written`() {
        for pod in Self.pods {
            #expect(pod.bytes.count.isMultiple(of: 8))
            #expect(read(pod.bytes) == pod)
        }
    }

    @Test func `bytes that end early are refused, and none are read behind their end`() {
        for pod in Self.pods {
            let bytes = pod.bytes
            for count in 0..<(bytes.count - 8) { #expect(read(Array(bytes.prefix(count))) == nil) }
            for place in stride(from: 0, to: bytes.count, by: 4) {
                var damaged = bytes
                damaged[place] = 0xff
                damaged[place + 1] = 0xff
                _ = read(damaged)
            }
        }
    }

    @Test func `a format is read as PipeWire 0.3 writes it`() throws {
        // As PipeWire passes it to a consumer: each value is a choice without alternatives.
        let words: [UInt32] = [
            0xb0, 0xf, 0x40003, 4, 1, 0, 0x14, 0x13, 0, 0, 4, 3, 2, 0, 2, 0, 0x14, 0x13, 0, 0, 4, 3,
            1, 0, 0x20001, 0, 0x14, 0x13, 0, 0, 4, 3, 8, 0, 0x20003, 0, 0x20, 0x13, 0, 0, 8, 0xa,
            320, 180, 320, 180,
        ]
        let pod = try #require(read(words.withUnsafeBytes { Array($0) }))
        #expect(
            PipeWireVideo.Format(pod)
                == PipeWireVideo.Format(pixels: .bgrx, width: 320, height: 180))
    }
}
