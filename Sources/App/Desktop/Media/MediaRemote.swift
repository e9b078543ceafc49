// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadBus
import PlayheadTime
import Synchronization

/// The MPRIS 2.2 object of a player. Media keys, panels, lock screens and `playerctl` use it to
/// control the player.
///
/// - Concurrency: any thread. Requests arrive on the thread of the bus.
/// - Corresponds to: `MPNowPlayingInfoCenter` and `MPRemoteCommandCenter`; the MPRIS D-Bus
///   Interface Specification, version 2.2.
final class MediaRemote: Sendable {
    private struct State {
        var status = MediaStatus()
        /// The timebase of the current item.
        var timebase: Timebase?
    }

    private static let path = "/org/mpris/MediaPlayer2"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let bus: SessionBus
    private let state = Mutex(State())
    private let onRequest: @Sendable (MediaRequest) -> Void

    /// Registers the player on a bus.
    ///
    /// - Parameter onRequest: called on the thread of the bus; must not block.
    init(_ bus: SessionBus, onRequest: @escaping @Sendable (MediaRequest) -> Void) {
        self.bus = bus
        self.onRequest = onRequest
        bus.addObject(Self.path) { [weak self] call in self?.answer(call) ?? .unknown }
        // MPRIS: a further instance of the program has its own name.
        bus.requestName("\(MediaStatus.rootInterface).playhead") { [bus] isFirst in
            guard !isFirst else { return }
            bus.requestName("\(MediaStatus.rootInterface).playhead.instance\(getpid())") { _ in }
        }
    }

    /// Sets the status and emits a signal for the properties that changed.
    func update(_ status: MediaStatus, timebase: Timebase?) {
        let old = state.withLock { state in
            defer { (state.status, state.timebase) = (status, timebase) }
            return state.status
        }
        tell(old.playerProperties, status.playerProperties, of: MediaStatus.playerInterface)
        tell(old.rootProperties, status.rootProperties, of: MediaStatus.rootInterface)
    }

    private func tell(
        _ old: [String: BusValue], _ new: [String: BusValue], of interface: String
    ) {
        let changed = new.filter { old[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        bus.emit(
            "PropertiesChanged", of: Self.properties, path: Self.path,
            [.text(interface), .dictionary(changed), .texts([])])
    }

    /// Emits the signal that reports a jump of the position.
    func seeked() {
        bus.emit("Seeked", of: MediaStatus.playerInterface, path: Self.path, [.int64(position)])
    }

    /// The position, in microseconds.
    private var position: Int64 {
        let time = state.withLock { $0.timebase }?.time ?? .zero
        guard time.isNumeric else { return 0 }
        return max(
            0, time.converted(toTimescale: 1_000_000, method: .roundTowardNegativeInfinity).value)
    }

    // MARK: Calls

    private func answer(_ call: borrowing BusMessage) -> SessionBus.CallAnswer {
        var arguments: [BusValue] = []
        while let value = call.read() { arguments.append(value) }
        switch call.interface {
        case Self.properties: return property(call.member, arguments)
        case "org.freedesktop.DBus.Introspectable":
            return .values([.text(Self.introspection)])
        case MediaStatus.rootInterface where call.member == "Raise": return .values([])
        case MediaStatus.rootInterface, MediaStatus.playerInterface:
            guard let request = MediaRequest(call.member, of: call.interface, arguments) else {
                return .error(
                    name: "org.freedesktop.DBus.Error.UnknownMethod",
                    text: "no method \(call.member) takes these arguments")
            }
            onRequest(request)
            return .values([])
        default: return .unknown
        }
    }

    private func property(_ member: String, _ arguments: [BusValue]) -> SessionBus.CallAnswer {
        let unknown = SessionBus.CallAnswer.error(
            name: "org.freedesktop.DBus.Error.UnknownProperty", text: "unknown property")
        guard let interface = arguments.first?.words, let all = properties(of: interface) else {
            return unknown
        }
        switch member {
        case "GetAll": return .values([.dictionary(all)])
        case "Get":
            guard arguments.count == 2, let name = arguments[1].words, let value = all[name] else {
                return unknown
            }
            return .values([.variant(value)])
        case "Set":
            guard arguments.count == 3, let name = arguments[1].words, all[name] != nil else {
                return unknown
            }
            // An unsupported value is rejected, not replaced by another one.
            guard let request = MediaRequest(setting: name, of: interface, to: arguments[2]),
                request != .setLoop(.playlist) || state.withLock({ $0.status.canLoopPlaylist })
            else {
                return .error(
                    name: "org.freedesktop.DBus.Error.InvalidArgs",
                    text: "invalid value for \(name)")
            }
            onRequest(request)
            return .values([])
        default: return .unknown
        }
    }

    private func properties(of interface: String) -> [String: BusValue]? {
        let status = state.withLock { $0.status }
        switch interface {
        case MediaStatus.rootInterface: return status.rootProperties
        case MediaStatus.playerInterface:
            var properties = status.playerProperties
            properties["Position"] = .int64(position)
            return properties
        default: return nil
        }
    }

    /// The introspection data of D-Bus, as XML.
    private static let introspection = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
         <interface name="org.mpris.MediaPlayer2">
          <method name="Raise"/><method name="Quit"/>
        \(declare(MediaStatus().rootProperties, writable: ["Fullscreen"]))
         </interface>
         <interface name="org.mpris.MediaPlayer2.Player">
          <method name="Next"/><method name="Previous"/><method name="Pause"/>
          <method name="PlayPause"/><method name="Stop"/><method name="Play"/>
          <method name="Seek"><arg direction="in" type="x" name="Offset"/></method>
          <method name="SetPosition"><arg direction="in" type="o" name="TrackId"/>
           <arg direction="in" type="x" name="Position"/></method>
          <method name="OpenUri"><arg direction="in" type="s" name="Uri"/></method>
          <signal name="Seeked"><arg type="x" name="Position"/></signal>
          <property name="Position" type="x" access="read"/>
        \(declare(MediaStatus().playerProperties, writable: ["Rate", "Volume", "LoopStatus"]))
         </interface>
         <interface name="org.freedesktop.DBus.Properties">
          <method name="Get"><arg direction="in" type="s"/><arg direction="in" type="s"/>
           <arg direction="out" type="v"/></method>
          <method name="GetAll"><arg direction="in" type="s"/>
           <arg direction="out" type="a{sv}"/></method>
          <method name="Set"><arg direction="in" type="s"/><arg direction="in" type="s"/>
           <arg direction="in" type="v"/></method>
          <signal name="PropertiesChanged">
           <arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
         </interface>
        </node>
        """

    private static func declare(
        _ properties: [String: BusValue], writable: Set<String>
    ) -> String {
        properties.sorted { $0.key < $1.key }.map { name, value in
            let access = writable.contains(name) ? "readwrite" : "read"
            return "  <property name=\"\(name)\" type=\"\(value.signature)\" access=\"\(access)\"/>"
        }.joined(separator: "\n")
    }
}
