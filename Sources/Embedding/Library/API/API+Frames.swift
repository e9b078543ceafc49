// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_map_frame(
    _ player: OpaquePointer?, _ host_time: Int64, _ frame: UnsafeMutablePointer<playhead_frame>?
) -> playhead_status {
    Call.player(player) { player in
        let frame = try Argument.out(
            frame, "frame", since: MemoryLayout<playhead_frame>.offset(of: \.is_mirrored))
        let host_time = try Argument.time(host_time, "host_time")
        guard let (buffer, time) = player.picture(at: host_time) else { return PLAYHEAD_EMPTY }
        let lease = try player.control.withLock { control in
            guard control.frames.count < HostedPlayer.frameLimit else {
                throw CallFailure(
                    PLAYHEAD_OUT_OF_RESOURCES,
                    "\(HostedPlayer.frameLimit) frames are mapped, which is the maximum; "
                        + "call playhead_unmap_frame"
                )
            }
            control.lastLease += 1
            control.frames[control.lastLease] = buffer
            return control.lastLease
        }
        Argument.fill(frame, with: playhead_frame(buffer, time: time, lease: lease))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_unmap_frame(_ player: OpaquePointer?, _ lease: UInt64) -> playhead_status {
    Call.player(player) { player in
        let buffer = player.control.withLock { $0.frames.removeValue(forKey: lease) }
        guard buffer != nil else {
            throw CallFailure.argument("lease \(lease) is unknown or was already unmapped")
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_copy_rgba(
    _ player: OpaquePointer?, _ host_time: Int64, _ pixels: UnsafeMutableRawPointer?,
    _ width: Int32, _ height: Int32, _ bytes_per_row: Int64,
    _ frame_time: UnsafeMutablePointer<Int64>?
) -> playhead_status {
    Call.player(player) { player in
        guard let pixels else { throw CallFailure.argument("pixels must not be NULL") }
        let sides = 1...HostedMemory.largestSide
        guard sides.contains(Int(width)), sides.contains(Int(height)),
            bytes_per_row >= Int64(width) * 4, bytes_per_row < 1 << 31
        else {
            throw CallFailure.argument(
                "expected 1 to \(HostedMemory.largestSide) pixels per side and at least 4 "
                    + "bytes per pixel "
                    + "in a row, found \(width) x \(height) with \(bytes_per_row) bytes per row")
        }
        let host_time = try Argument.time(host_time, "host_time")
        guard let (buffer, time) = player.picture(at: host_time) else { return PLAYHEAD_EMPTY }
        player.memory.convert(
            buffer, width: Int(width), height: Int(height), into: pixels,
            bytesPerRow: Int(bytes_per_row))
        frame_time?.pointee = time.hosted
        return PLAYHEAD_OK
    }
}

extension playhead_frame {
    init(_ buffer: PixelBuffer, time: MediaTime, lease: UInt64) {
        self.init()
        plane_count = UInt32(min(4, buffer.planes.count))
        withUnsafeMutableBytes(of: &planes) { bytes in
            let planes = bytes.bindMemory(to: playhead_plane.self)
            for (index, plane) in buffer.planes.prefix(4).enumerated() {
                planes[index] = playhead_plane(
                    data: plane.baseAddress, bytes_per_row: Int64(plane.bytesPerRow),
                    width: Int32(plane.width), height: Int32(plane.height))
            }
        }
        width = Int32(buffer.width)
        height = Int32(buffer.height)
        rotation = Int32(buffer.attachments.orientation.degrees)
        is_mirrored = buffer.attachments.orientation.isMirrored ? 1 : 0
        let resolved = buffer.color
        is_full_range = resolved.range == .full ? 1 : 0
        color = playhead_color(resolved, peakLuminance: buffer.attachments.peakLuminance)
        frame_time = time.hosted
        self.lease = lease
        withUnsafeMutableBytes(of: &format) { buffer.format.name.copy(to: $0) }
    }
}
