// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import Foundation
import MediaTestSupport
import PlayheadC
import Testing

/// Information about mirrored videos for hosts that draw planes themselves.
@Suite(
    "Hosted mirrored video", .enabled(if: SyntheticClip.isAvailable, "needs the ffmpeg command"))
struct MirroredFilmTests {
    /// Returns a video with another matrix in the header of its video track, as 16.16 a, b, c and
    /// d.
    private static func film(_ matrix: [Int32]) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try HostRig.film())))
        return try #require(TrackMatrix.set(matrix, in: bytes), "the clip is not an MP4 file")
    }

    private static func rig(_ matrix: [Int32]) throws -> HostRig {
        let rig = try HostRig()
        try check(
            try film(matrix).withUnsafeBytes {
                playhead_open_memory(rig.player, $0.baseAddress, $0.count, "film.mp4")
            })
        try check(playhead_wait_for_frame(rig.player, 120_000_000_000, nil))
        return rig
    }

    @Test(
        arguments: [
            ([1, 0, 0, 1], 0, 0), ([-1, 0, 0, 1], 0, 1), ([0, 1, 1, 0], 270, 1),
            ([0, 1, -1, 0], 90, 0),
        ] as [([Int32], Int32, Int32)])
    func `report it for the media and for each frame`(
        matrix: [Int32], rotation: Int32, isMirrored: Int32
    ) throws {
        let rig = try Self.rig(matrix)
        var info = sized(\.struct_size, playhead_media_info())
        try check(playhead_get_media_info(rig.player, &info))
        #expect((info.rotation, info.is_mirrored) == (rotation, isMirrored))
        var frame = sized(\.struct_size, playhead_frame())
        try check(playhead_map_frame(rig.player, 0, &frame))
        #expect((frame.rotation, frame.is_mirrored) == (rotation, isMirrored))
        try check(playhead_unmap_frame(rig.player, frame.lease))
    }

    @Test
    func `shorter structures of older hosts are not overrun`() throws {
        let rig = try Self.rig([-1, 0, 0, 1])
        let size = try #require(MemoryLayout<playhead_frame>.offset(of: \.is_mirrored))
        var frame = playhead_frame()
        frame.struct_size = UInt32(size)
        (frame.is_mirrored, frame.reserved) = (77, 78)
        try check(playhead_map_frame(rig.player, 0, &frame))
        #expect(frame.struct_size == UInt32(size))
        #expect((frame.width, frame.height, frame.plane_count) == (320, 180, 3))
        #expect((frame.is_mirrored, frame.reserved) == (77, 78))
        try check(playhead_unmap_frame(rig.player, frame.lease))
        frame.struct_size = UInt32(size - 1)
        #expect(
            playhead_map_frame(rig.player, 0, &frame) == playhead_status(PLAYHEAD_INVALID_ARGUMENT))
    }
}
