// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import Testing

/// The colours of cameras, as drawn. `fake_frames.c` computes the samples of its bars from R'G'B'.
@Suite("Camera colours", .enabled(if: FakeCamera.isAvailable, "\(FakeCamera.absence)"))
struct CameraBarsTests {
    private static let bars: [[UInt8]] = [
        [255, 255, 255], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0],
        [0, 0, 191], [16, 16, 16],
    ]
    private static let (width, height) = (640, 480)
    private let folder = TemporaryFolder()

    /// Shows a camera and compares the middle of each bar.
    private func expectBars(
        _ camera: FakeCamera, _ address: String = "camera:0",
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let shot = folder.appending("shot.png")
        try Tool.run(
            ["play", address, "--headless", "--frames", "3", "--screenshot", shot.path],
            environment: camera.environment
        ).expectSuccess(at: location)
        let image = try TestImage(contentsOf: shot)
        #expect((image.width, image.height) == (Self.width, Self.height), sourceLocation: location)
        for (index, bar) in Self.bars.enumerated() {
            let pixel = image[(2 * index + 1) * Self.width / 16, Self.height / 2]
            let found = [pixel.x, pixel.y, pixel.z]
            let error = zip(found, bar).map { abs(Int($0) - Int($1)) }.max() ?? 255
            #expect(error <= 2, "\(found) for \(bar)", sourceLocation: location)
        }
    }

    @Test(
        arguments: ["YUYV", "UYVY", "NV12"],
        [["range=limited"], ["range=full"], ["range=full", "matrix=709"]])
    func `bars have their colours in each format and range`(
        format: String, declared: [String]
    ) throws {
        let camera = try FakeCamera("nothing")
        try camera.set(["format=\(format) 640x480 30", "bars=1"] + declared)
        try expectBars(camera)
    }

    @Test(
        .enabled(if: ProcessRunner.has("ffmpeg"), "needs ffmpeg, to make images"),
        arguments: ["yuvj420p", "yuvj422p"])
    func `bars have their colours in images of both chroma layouts`(layout: String) throws {
        let row = (0..<Self.width).flatMap { Self.bars[$0 * Self.bars.count / Self.width] }
        let pixels = (0..<Self.height).flatMap { _ in row }
        let picture = folder.appending("bars.ppm")
        try (Data("P6\n\(Self.width) \(Self.height)\n255\n".utf8) + Data(pixels)).write(
            to: picture)
        let images = folder.appending("bars.mjpeg").path
        try ProcessRunner.check([
            "ffmpeg", "-v", "error", "-i", picture.path, "-vf",
            "scale=out_color_matrix=bt601:out_range=full:flags=accurate_rnd+full_chroma_int",
            "-pix_fmt", layout, "-q:v", "2", "-f", "mjpeg", images,
        ])
        let camera = try FakeCamera("nothing")
        try camera.set(["format=MJPG 640x480 30", "mjpeg=\(images)"])
        try expectBars(camera)
    }
}
