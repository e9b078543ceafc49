// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import MediaTestSupport
import PlayheadUI

/// `prove colour`: videos are drawn in the colours that the standards define.
///
/// Takes the golden table's colours and the decoded colour bars of each matrix and range, draws
/// them through `VideoRenderer` with the shader and with the processor, on targets of 8 and 10 bits
/// and of floats, and compares the result with the equations of H.273 for the same samples,
/// computed here in double precision.
struct ColorProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "colour", abstract: "Drawn colours against the standards' equations.")

    @Flag(help: "Has no effect: the proof takes seconds.")
    var short = false

    private static let films = [
        "bars_601_tv", "bars_601_pc", "bars_709_tv", "bars_709_pc", "bars_2020_tv", "bars_2020_pc",
    ]

    /// A target, and the number of levels of a channel.
    private struct Target {
        let name: String
        let format: GLTextureFormat
        let tolerance: Double
        let conversion: PictureConversion
    }

    private static let targets = [
        Target(name: "8 bits", format: .rgba8, tolerance: 1.0 / 255, conversion: .gpu),
        Target(
            name: "8 bits, processor", format: .rgba8, tolerance: 1.0 / 255, conversion: .cpu),
        Target(name: "10 bits", format: .rgb10A2, tolerance: 1.0 / 1023, conversion: .gpu),
        Target(name: "floats", format: .rgba32Float, tolerance: 1.0 / 1023, conversion: .gpu),
    ]

    func run() throws {
        guard let folder = Corpus.folder else {
            throw CannotProve("colour: neither videos nor tables are present")
        }
        let context = try HeadlessContext()
        var report = Report("colour")
        for group in try Self.goldenGroups(folder) {
            try compare(group, context: context, &report)
        }
        for film in Self.films {
            let file = folder.appending(path: "made-here/media/\(film).mp4")
            let reader = try AssetReader(asset: URLAsset(url: file))
            guard let frame = try reader.addVideoOutput().copyNextSampleBuffer() else {
                throw CannotProve("colour: \(film) has no frame")
            }
            try compare(Subject(name: film, picture: frame.pixelBuffer), context: context, &report)
        }
        try report.finish()
    }

    /// A frame, and the colours expected of it.
    private struct Subject {
        let name: String
        let picture: PixelBuffer
        /// Exact R'G'B', row by row.
        let expected: [SIMD3<Double>]
        /// True where chroma is equal all around, so that no filter's rounding matters; edges are
        /// judged separately.
        let isFlat: [Bool]

        init(name: String, picture: PixelBuffer, expected: [SIMD3<Double>]) {
            self.name = name
            self.picture = picture
            self.expected = expected
            isFlat = [Bool](repeating: true, count: expected.count)
        }

        init(name: String, picture: PixelBuffer) {
            self.name = name
            self.picture = picture
            let reading = PictureReading(picture)
            var expected: [SIMD3<Double>] = []
            var isFlat: [Bool] = []
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    expected.append(reading.color(x, y))
                    isFlat.append(reading.isFlat(x, y))
                }
            }
            self.expected = expected
            self.isFlat = isFlat
        }
    }

    private func compare(
        _ subject: Subject, context: HeadlessContext, _ report: inout Report
    ) throws {
        var figures: [String] = []
        var worstEdge = 0.0
        for target in Self.targets {
            let picture = subject.picture
            let framebuffer = try GLFramebuffer(
                format: target.format, width: picture.width, height: picture.height,
                context: context)
            // The primaries are the frame's own, so that only the matrices are compared.
            let space = ColorSpace(primaries: picture.color.primaries, transfer: .bt709)
            var renderTarget = RenderTarget(framebuffer, colorSpace: space)
            // Mesa's software renderer truncates to 10 bits, so dithering would add to that.
            if target.format == .rgb10A2 { renderTarget.bitDepth = nil }
            let drawn = VideoRenderer(context: context, conversion: target.conversion).render(
                Scene(layers: [Layer(.image(picture))]), hostTime: .zero, into: renderTarget)
            if let problem = drawn.problems.first { throw problem }
            var worst = 0.0
            for (index, value) in framebuffer.values().enumerated()
            where index < subject.expected.count {
                let exact = subject.expected[index].clamped(
                    lowerBound: [0, 0, 0], upperBound: [1, 1, 1])
                let difference = SIMD3(Double(value.x), Double(value.y), Double(value.z)) - exact
                let distance = max(
                    abs(difference.x), abs(difference.y), abs(difference.z))
                // max() ignores NaN, so it is checked first.
                report.require(distance.isFinite, "\(subject.name): a drawn value is not a number")
                if subject.isFlat[index] {
                    worst = max(worst, distance)
                } else {
                    worstEdge = max(worstEdge, distance)
                }
            }
            figures.append(String(format: "%@ %.5f", target.name, worst))
            report.require(
                worst <= target.tolerance * 1.001,
                "\(subject.name) on \(target.name) is off by \(worst)")
        }
        // Mesa's software renderer filters 8-bit textures with 8-bit weights, and rounds to 8 bits.
        if worstEdge > 0 { figures.append(String(format: "edges %.5f", worstEdge)) }
        report.require(
            worstEdge <= 3.0 / 255, "\(subject.name) is off by \(worstEdge) where chroma changes")
        report.add(subject.name, figures.joined(separator: ", "))
    }

    /// The golden table's rows as frames, one for each matrix, range and depth.
    private static func goldenGroups(_ folder: URL) throws -> [Subject] {
        let file = folder.deletingLastPathComponent()
            .appending(path: "golden-colour/yuv2rgb_golden.csv")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw CannotProve("colour: there is no \(file.path)")
        }
        var rows: [String: [[Double]]] = [:]
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let cells = line.split(separator: ",")
            rows[cells[0...2].joined(separator: " "), default: []].append(
                cells[3...8].map { Double($0) ?? .nan })
        }
        return rows.sorted { $0.key < $1.key }.map { name, rows in
            let parts = name.split(separator: " ")
            let depth = Int(parts[2]) ?? 8
            let matrix: ColorAttachments.Matrix =
                switch parts[0] {
                case "bt601": .bt601
                case "bt709": .bt709
                default: .bt2020NonConstantLuminance
                }
            let format = PixelFormat(
                name: "yuv444p\(depth)", model: .yCbCr,
                components: (0..<3).map {
                    PixelFormat.Component(
                        plane: $0, step: depth > 8 ? 2 : 1, offset: 0, depth: depth)
                })
            // 1331 rows of the table are 121 columns of 11.
            let width = 121
            let picture = PixelBuffer(
                format: format, width: width, height: rows.count / width,
                attachments: PixelBufferAttachments(
                    color: ColorAttachments(
                        matrix: matrix, range: parts[1] == "full" ? .full : .limited))
            ) { plane, bytes, bytesPerRow in
                for (index, row) in rows.enumerated() {
                    let place = index / width * bytesPerRow
                    if depth > 8 {
                        bytes.storeBytes(
                            of: UInt16(row[plane]), toByteOffset: place + index % width * 2,
                            as: UInt16.self)
                    } else {
                        bytes[place + index % width] = UInt8(row[plane])
                    }
                }
            }
            return Subject(
                name: "golden \(name)", picture: picture,
                expected: rows.map { SIMD3($0[3], $0[4], $0[5]) })
        }
    }
}
