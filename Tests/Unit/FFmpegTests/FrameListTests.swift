// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadFFmpeg
import PlayheadTime
import Testing

/// The lists of frames that torchcodec stores beside its videos, made independently of this code.
@Suite(.enabled(if: Corpus.has("torchcodec"), Comment(rawValue: Corpus.absence)))
struct FrameListTests {
    private struct Frame: Decodable {
        let time: String
        enum CodingKeys: String, CodingKey { case time = "pts_time" }
    }

    @Test(arguments: [
        ("nasa_13013.mp4", 0), ("nasa_13013.mp4", 3), ("nasa_13013_rotated.mp4", 0),
        ("test_non_zero_start.mp4", 0),
    ])
    func picturesAreThoseOfTheList(_ film: String, _ stream: Int) throws {
        let folder = "torchcodec/test/resources/"
        let list = try #require(Corpus.url("\(folder)\(film).stream\(stream).all_frames_info.json"))
        let frames = try JSONDecoder().decode([Frame].self, from: Data(contentsOf: list))
        let path = try #require(Corpus.url(folder + film)).path
        let pictures = try AssetReader(asset: Opening.asset(path))
            .addVideoOutput(trackID: stream)
        var times: [String] = []
        while let frame = try pictures.copyNextSampleBuffer() {
            times.append(String(format: "%.6f", frame.presentationTime.seconds))
        }
        #expect(times == frames.map(\.time))
    }
}
