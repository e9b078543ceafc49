// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Playhead

/// `playhead devices`: what sound can be played on.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists the sound devices that --audio-device takes.")

    func run() throws {
        do throws(AudioError) {
            for device in try PulseAudioDevice.all() {
                print("\(device.name)\(device.isDefault ? " (default)" : "")")
                print(
                    "    \(device.title), \(device.sampleRate) Hz, \(device.channelCount) channels")
            }
        } catch {
            throw ToolError(.mediaFailure, "\(error)")
        }
    }
}
