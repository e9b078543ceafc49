// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import Testing

@testable import PlayheadFFmpeg

/// Video in Dirac, of which FFmpeg decodes whole frames.
@Suite(.enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct DiracTests {
    @Test(arguments: ["drc", "mkv", "nut"])
    func `interlaced video is not called damaged`(container: String) throws {
        let folder = TemporaryFolder()
        let path = folder.appending("film.\(container)").path
        try ProcessRunner.check(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
                "testsrc2=s=176x144:r=25:d=0.4", "-vf", "interlace", "-c:v", "vc2", "-pix_fmt",
                "yuv422p",
            ] + (container == "drc" ? ["-f", "dirac"] : []) + [path])
        let output = try AssetReader(asset: Opening.asset(path)).addVideoOutput()
        let error = #expect(throws: MediaError.self) {
            while try output.copyNextSampleBuffer() != nil {}
        }
        #expect(error?.code == .unsupportedCodec)
        #expect(error?.cause.contains("interlaced") == true)
    }
}
