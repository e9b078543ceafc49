// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import PlayheadBuffers
import Testing

@testable import PlayheadC

@Suite("Pictures that hosts are given in memory")
struct HostedMemoryTests {
    /// What a conversion of a grey picture comes to.
    private static func convert(_ color: ColorAttachments) throws -> [UInt8] {
        let buffer = PixelBuffer(
            format: .yuv420p, width: 16, height: 16,
            attachments: PixelBufferAttachments(color: color)
        ) { plane, bytes, bytesPerRow in
            for index in 0..<bytesPerRow * (plane == 0 ? 16 : 8) { bytes[index] = 128 }
        }
        var pixels = [UInt8](repeating: 0, count: 16 * 16 * 4)
        try pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            try HostedMemory().convert(buffer, width: 16, height: 16, into: base, bytesPerRow: 64)
        }
        return Array(pixels.prefix(4))
    }

    @Test(
        "of films that only a shader converts there are none, and the host is told so",
        arguments: [ColorAttachments.Matrix.bt2020ConstantLuminance, .iCtCp, .yCgCo])
    func unsupported(matrix: ColorAttachments.Matrix) throws {
        let failure = #expect(throws: CallFailure.self) {
            _ = try Self.convert(ColorAttachments(matrix: matrix, range: .full))
        }
        #expect(failure?.status == playhead_status(PLAYHEAD_UNSUPPORTED))
        #expect(failure?.text.contains("matrix \(matrix.rawValue)") == true)
    }

    @Test(
        "those of high dynamic range are brought to what displays show",
        arguments: [
            // 94.1 and 51.2 cd/m2, on a display of 203 with BT.1886's curve; peaks are taken to be 1000.
            (.pq, 185), (.hlg, 144), (.bt709, 128),
        ] as [(ColorAttachments.Transfer, UInt8)])
    func toneMapped(transfer: ColorAttachments.Transfer, code: UInt8) throws {
        let grey = try Self.convert(
            ColorAttachments(
                matrix: .bt2020NonConstantLuminance, range: .full, primaries: .bt2020,
                transfer: transfer))
        #expect(grey == [code, code, code, 255])
    }
}
