// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

@Suite struct GoldenImageTests {
    private static func gradient(offset: Int = 0, width: Int = 33, height: Int = 17) -> TestImage {
        TestImage(
            width: width, height: height,
            pixels: (0..<(width * height * 4)).map { UInt8(truncatingIfNeeded: $0 * 7 + offset) })
    }

    @Test(arguments: [(1, 1), (33, 17), (200, 120)])
    func `a written image is read back unchanged`(width: Int, height: Int) throws {
        let folder = TemporaryFolder()
        let image = Self.gradient(width: width, height: height)
        try image.write(to: folder.appending("a/b.png"))
        #expect(try TestImage(contentsOf: folder.appending("a/b.png")) == image)
    }

    @Test(
        .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"),
        arguments: [
            "rgb24", "rgba", "gray", "ya8",
        ])
    func `compressed files of other programs can be read`(format: String) throws {
        let folder = TemporaryFolder()
        let (png, rgba) = (folder.appending("picture.png"), folder.appending("picture.rgba"))
        let ffmpeg = ["ffmpeg", "-v", "error"]
        try ProcessRunner.check(
            ffmpeg + ["-f", "lavfi", "-i", "testsrc2=size=122x77", "-frames:v", "1"]
                + ["-pix_fmt", format, png.path])
        try ProcessRunner.check(
            ffmpeg + ["-i", png.path, "-f", "rawvideo", "-pix_fmt", "rgba", rgba.path])
        let image = try TestImage(contentsOf: png)
        let raw = TestImage(
            width: image.width, height: image.height,
            pixels: [UInt8](try Data(contentsOf: rgba)))
        #expect(image.difference(from: raw)?.maximum == 0)
    }

    @Test func `only a similar image matches`() throws {
        let folder = TemporaryFolder()
        let expected = Self.gradient()
        try expected.write(to: folder.appending("golden-self-test.png"))
        let golden = GoldenImage("golden-self-test", folder: folder.url)
        try golden.compare(expected)

        var near = expected
        near.pixels[5] = near.pixels[5] &+ 3
        try golden.compare(near)

        var far = expected
        far.pixels[5] = far.pixels[5] ^ 0x80
        let error = #expect(throws: GoldenImage.Mismatch.self) { try golden.compare(far) }
        #expect(error?.description.contains("differs by up to 128 (limit 3)") == true)
        let difference = try TestImage(
            contentsOf: Checkout.output.appending(path: "golden-self-test-difference.png"))
        #expect(difference[1, 0] == [0, 255, 0, 255])
        #expect(difference[2, 0] == [0, 0, 0, 255])

        #expect(throws: GoldenImage.Mismatch.self) { try golden.compare(Self.gradient(width: 5)) }
        let none = GoldenImage("golden-self-test-none", folder: folder.url)
        #expect(throws: GoldenImage.Mismatch.self) { try none.compare(expected) }
    }
}
