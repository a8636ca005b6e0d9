import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findAddressBan, isPublicAddress } from '../../../../src/service/platform/network/address-ban.ts';

describe('an address of the public internet', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.0', '223.255.255.255', '2606:4700:4700::1111', '2a00::1'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '161.26.0.10',
    '166.9.48.1',
    '192.175.48.1',
    '64:ff9b::a83f:8110',
    '64:ff9b:1::1',
    '2002:a83f:8110::',
    '::ffff:168.63.129.16',
    '0:0:0:0:0:ffff:a83f:8110',
    '5f00::1',
    '100::1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    '127.1',
    '0x7f000001',
    '8.8.8.8.8',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it('is in no private network', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.constantFrom('10', '127', '0'), byte, byte, byte, (first, ...rest) => {
        const address = [first, ...rest].join('.');
        expect(isPublicAddress(address)).toBe(false);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(false);
      }),
    );
  });
});

describe('an allowed address', () => {
  it('is public, or private if that is allowed', () => {
    expect(findAddressBan('8.8.8.8', false)).toBeUndefined();
    expect(findAddressBan('10.0.0.1', false)).toBe('not public');
    expect(findAddressBan('localhost', false)).toBe('not public');
    for (const address of [
      '8.8.8.8',
      '10.0.0.1',
      '127.0.0.1',
      '::1',
      'fd12:3456::1',
      '100.64.0.1',
      '64:ff9b::808:808',
    ]) {
      expect([address, findAddressBan(address, true)]).toEqual([address, undefined]);
    }
  });

  // Only the decision is tested: nothing is ever sent to such an address.
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.0.23',
    '169.254.42.42',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:a9fe:a9fe::1',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
    'fe80::a9fe:a9fe%eth0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b::6464:64c8',
    '2002:a9fe:a9fe::1',
    '2002:a83f:8110::',
    '2001:0:a9fe:a9fe::1',
  ])('is never %s, where a cloud publishes credentials', (address) => {
    expect(findAddressBan(address, true)).toBe('metadata');
    expect(findAddressBan(address, false)).toBe('metadata');
  });
});
