// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadAssets

/// Packets that wait for one output while another is read.
@Suite struct PacketDistributorTests {
    private final class Payload: Sendable {}

    private static func packet(_ number: Int) -> MediaPacket {
        let time = MediaTime(value: Int64(number), timescale: 25)
        return MediaPacket(
            trackID: 0, presentationTime: time, decodeTime: time,
            duration: MediaTime(value: 1, timescale: 25), isKeyframe: true, byteCount: 100,
            payload: Payload())
    }

    @Test(arguments: [1, 10, 63, 64, 65, 1000])
    func `a backlog that is never empty lets go of what was taken`(waiting: Int) {
        var backlog = PacketDistributor.Backlog()
        for number in 0..<waiting { backlog.append(Self.packet(number)) }
        for number in 0..<10_000 {
            backlog.append(Self.packet(waiting + number))
            #expect(backlog.take()?.presentationTime == Self.packet(number).presentationTime)
        }
        #expect(backlog.packets.count <= 2 * (waiting + 64))
        for number in 10_000..<10_000 + waiting {
            #expect(backlog.take()?.presentationTime == Self.packet(number).presentationTime)
        }
        #expect(backlog.take() == nil)
        #expect(backlog.packets.isEmpty)
    }
}
