// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// `playhead devices`: what sound can be played on.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Lists the sound devices that --audio-device takes.")

    func run() throws {
        do throws(AudioError) {
            let devices = try PulseAudioDevice.all()
            guard !devices.isEmpty else {
                throw AudioError(
                    .noDevice, subject: "PulseAudio", cause: "there is no sound device")
            }
            for device in devices {
                Console.print("\(device.name)\(device.isDefault ? " (default)" : "")")
                Console.print(
                    "    \(device.title), \(device.sampleRate) Hz, \(device.channelCount) channels")
            }
        } catch {
            throw ToolError(.mediaFailure, "\(error)")
        }
    }
}
