// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

/// The image of `playhead` without arguments: the clip with its green screen keyed out.
struct BuiltInClipTests {
    private let folder = TemporaryFolder()

    @Test func `the keyed clip matches its golden image`() throws {
        let picture = folder.appending("keyed.png")
        let clip = Checkout.root.appending(path: "Media/greenscreen.mp4").path
        try Tool.run(
            "snapshot", clip, "--at", "2", "--effect", "chroma_key", "--background",
            "checkerboard", "--size", "160x90", "-o", picture.path
        ).expectSuccess()
        // OpenGL implementations filter edges of fur differently by a little.
        try GoldenImage("built-in-clip-keyed", maximum: 24, rootMeanSquare: 1)
            .compare(try TestImage(contentsOf: picture))
    }

    @Test func `the built-in clip is keyed when it plays alone`() throws {
        let picture = folder.appending("last.png")
        let result = try Tool.run(
            "play", "--headless", "--untimed", "--frames", "61", "--size", "320x180",
            "--screenshot", picture.path)
        result.expectSuccess()
        let image = try TestImage(contentsOf: picture)
        // A corner of the clip is green screen: it shows the checkerboard, which is grey.
        let corner = image[4, 4]
        #expect(abs(Int(corner.x) - Int(corner.y)) < 12, "\(corner)")
    }
}
